/** One aggregate check covers a quorum; bisection finds invalid votes. */
import type { Stats } from '@slipstream/schema';
import { useMemo } from 'react';
import {
  count,
  counted,
  duration,
  durationMeasure,
  NONE,
  percent,
  rateMeasure,
  timeOfDay,
} from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Term } from '../../design/term.tsx';
import type { Bisection, QuorumCheck } from '../../stream/snapshot.ts';
import { useStream } from '../../stream/use-stream.ts';
import { CheckRateChart } from './rate-chart.tsx';
import { type CheckSummary, type KindSummary, summarize, summarizeKinds } from './summary.ts';
import { VerifiedHere } from './verified-here.tsx';

export function SignaturesView() {
  const checks = useStream((snapshot) => snapshot.checks);
  const summary = useMemo(() => summarize(checks), [checks]);
  const kinds = useMemo(() => summarizeKinds(checks), [checks]);
  return (
    <div className="view">
      <h1 className="hidden-label">Signatures</h1>
      <Counters summary={summary} />
      <div className="columns">
        <div className="stack">
          <Bisections />
          <CheckRateChart />
          <RefusedSessions />
        </div>
        <div className="stack">
          <Panel title="By kind of vote" note={`last ${counted(summary.checks, 'check')}`} flush>
            {kinds.length === 0 ? (
              <Empty title="No quorum checked yet">A check runs when votes of one kind reach a quorum.</Empty>
            ) : (
              <Table
                caption="Quorum checks by kind of vote"
                columns={KIND_COLUMNS}
                rows={kinds}
                rowKey={({ kind }) => kind}
              />
            )}
          </Panel>
          <RecentChecks checks={checks} />
          <VerifiedHere />
        </div>
      </div>
    </div>
  );
}

const NEWEST = 6;

const CHECK_COLUMNS: readonly Column<QuorumCheck>[] = [
  { key: 'time', title: 'Time', cell: ({ atMs }) => timeOfDay(atMs) },
  { key: 'kind', title: 'Kind', cell: ({ kind }) => kind },
  { key: 'view', title: 'View', number: true, cell: ({ kind, view }) => (kind === 'chunk' ? NONE : count(view)) },
  { key: 'votes', title: 'Votes', number: true, cell: ({ votes }) => count(votes) },
  { key: 'ms', title: 'Took', number: true, cell: ({ ms }) => duration(ms) },
];

function RecentChecks({ checks }: { readonly checks: readonly QuorumCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <Panel title="Recent quorum checks" flush>
      <Table
        caption="Recent quorum checks"
        columns={CHECK_COLUMNS}
        rows={checks.slice(-NEWEST).reverse()}
        rowKey={({ kind, view, atMs, ms }) => `${kind}/${view}/${atMs}/${ms}`}
      />
    </Panel>
  );
}

const KIND_COLUMNS: readonly Column<KindSummary>[] = [
  { key: 'kind', title: 'Kind', cell: ({ kind }) => kind },
  { key: 'rate', title: 'Per second', number: true, cell: ({ perSecond }) => rateMeasure(perSecond).text },
  {
    key: 'votes',
    title: 'Votes per check',
    number: true,
    wideOnly: true,
    cell: ({ votesPerCheck }) => votesPerCheck?.toFixed(1) ?? NONE,
  },
  { key: 'p50', title: 'p50', number: true, cell: ({ ms }) => duration(ms?.p50) },
  { key: 'p95', title: 'p95', number: true, cell: ({ ms }) => duration(ms?.p95) },
];

type SignatureStats = Stats['signatures'];

function Counters({ summary }: { readonly summary: CheckSummary }) {
  const signatures = useStream(({ stats }) => stats?.signatures);
  return (
    <section className="stats" aria-label="Quorum checks">
      <QuorumChecks summary={summary} sinceStart={signatures?.quorumChecks} />
      <VotesPerCheck summary={summary} sinceStart={signatures?.votesChecked} />
      <CheckTime summary={summary} />
      <Stat
        label={
          <Term
            word="Bisections"
            means="A quorum check that failed is split in halves until the bad votes are found. Each offender is blocked by its identity."
          />
        }
        value={{ text: count(signatures?.bisections), unit: '' }}
        more="since start"
      />
      {signatures === undefined ? null : <Cache signatures={signatures} />}
      <Stat
        label={<Term word="Verifier queue" means="Requests queued for the verifier thread." />}
        value={{ text: count(signatures?.queued), unit: '' }}
        more="now"
      />
      {signatures === undefined ? null : <SessionUses sessions={signatures.sessions} />}
    </section>
  );
}

interface CounterProps {
  readonly summary: CheckSummary;
  readonly sinceStart: number | undefined;
}

function QuorumChecks({ summary, sinceStart }: CounterProps) {
  return (
    <Stat
      label={
        <Term
          word="Quorum checks"
          means="Aggregate signature checks per second, over the checks listed on this page. One check verifies all votes of a quorum at once."
        />
      }
      value={rateMeasure(summary.perSecond)}
      more={<Pairs pairs={[['since start', count(sinceStart)]]} />}
    />
  );
}

function VotesPerCheck({ summary, sinceStart }: CounterProps) {
  return (
    <Stat
      label={
        <Term
          word="Votes per check"
          means="Average number of votes verified by one check. Verifying each vote on arrival would take that many checks."
        />
      }
      value={{ text: summary.votesPerCheck?.toFixed(1) ?? NONE, unit: '' }}
      more={<Pairs pairs={[['since start', count(sinceStart)]]} />}
    />
  );
}

function CheckTime({ summary: { ms } }: { readonly summary: CheckSummary }) {
  return (
    <Stat
      label={
        <>
          <Term
            word="Check time"
            means="Duration of one quorum check at this node, over the checks listed on this page."
          />{' '}
          p50
        </>
      }
      value={durationMeasure(ms?.p50)}
      more={
        <Pairs
          pairs={[
            ['p95', duration(ms?.p95)],
            ['p99', duration(ms?.p99)],
          ]}
        />
      }
    />
  );
}

function Cache({ signatures: { cacheEntries, cacheHits, cacheMisses } }: { readonly signatures: SignatureStats }) {
  const lookups = cacheHits + cacheMisses;
  const hitRate = lookups === 0 ? NONE : percent(cacheHits / lookups);
  return (
    <Stat
      label={<Term word="Cache" means="Verified signatures that need no second check." />}
      value={{ text: count(cacheEntries), unit: '' }}
      more={<Pairs pairs={[['hit rate', hitRate]]} />}
    />
  );
}

type Sessions = SignatureStats['sessions'];

function SessionUses({ sessions }: { readonly sessions: Sessions }) {
  return (
    <Stat
      label={
        <Term
          word="Session transactions"
          means="Committed transactions signed by a session key. A credential is verified once; later uses cost a cache lookup."
        />
      }
      value={{ text: count(sessions.used), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['granted', count(sessions.granted)],
            ['checked', count(sessions.credentialsChecked)],
            ['known', count(sessions.credentialsKnown)],
          ]}
        />
      }
    />
  );
}

const REFUSED_COLUMNS: readonly Column<Sessions['refused'][number]>[] = [
  { key: 'reason', title: 'Reason', cell: ({ reason }) => reason },
  { key: 'count', title: 'Since start', number: true, cell: (row) => count(row.count) },
];

function RefusedSessions() {
  const refused = useStream(({ stats }) => stats?.signatures.sessions.refused);
  if (refused === undefined || refused.length === 0) return null;
  return (
    <Panel title="Refused sessions" flush>
      <Table
        caption="Refused sessions by reason"
        columns={REFUSED_COLUMNS}
        rows={refused}
        rowKey={({ reason }) => reason}
      />
    </Panel>
  );
}

const BISECTION_COLUMNS: readonly Column<Bisection>[] = [
  { key: 'time', title: 'Time', cell: ({ atMs }) => timeOfDay(atMs) },
  { key: 'kind', title: 'Kind', cell: ({ kind }) => kind },
  { key: 'view', title: 'View', number: true, cell: ({ view }) => count(view) },
  { key: 'votes', title: 'Votes', number: true, cell: ({ votes }) => count(votes) },
  {
    key: 'offenders',
    title: 'Offenders',
    cell: ({ offenders }) => offenders.map((index) => `validator ${index}`).join(', '),
  },
  {
    key: 'checks',
    title: (
      <Term
        word="Checks"
        means="Signature checks that the bisection needed. Verifying each vote alone takes one check per vote."
      />
    ),
    number: true,
    cell: ({ checks }) => count(checks),
  },
  { key: 'ms', title: 'Took', number: true, cell: ({ ms }) => duration(ms) },
];

function Bisections() {
  const bisections = useStream((snapshot) => snapshot.bisections);
  const before = useStream(({ stats }) => stats?.signatures.bisections ?? 0);
  return (
    <Panel title="Bisections" note="newest first" flush>
      {bisections.length === 0 ? (
        <Empty title={before > 0 ? 'None recently' : 'None'}>
          {before > 0
            ? `${count(before)} since the node started: see Peers for blocked peers.`
            : 'Every quorum check passed. Invalid votes appear here with their sender and the cost of finding them.'}
        </Empty>
      ) : (
        <Table
          caption="Bisections"
          columns={BISECTION_COLUMNS}
          rows={bisections.slice().reverse()}
          rowKey={({ atMs, kind, view }) => `${atMs}/${kind}/${view}`}
          rowTone={() => 'bad'}
        />
      )}
    </Panel>
  );
}
