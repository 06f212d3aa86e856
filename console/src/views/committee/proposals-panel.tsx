import './committee.css';
import type { EpochRecordJson, Listed, ProposalPage, ProposalView, ValidatorView } from '@slipstream/schema';
import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { type Fact, Facts } from '../../design/facts.tsx';
import { count, dateAndTime } from '../../design/format.ts';
import { Hex } from '../../design/hex.tsx';
import { Panel } from '../../design/panel.tsx';
import { Empty, LeftOut } from '../../design/states.tsx';
import { useNow } from '../../node/use-now.ts';
import { useStream } from '../../stream/use-stream.ts';
import { countdown, stepsOf, waitText } from './next-committee.ts';
import { ProposalSteps } from './proposal-steps.tsx';
import { Account, ProposedChange } from './proposed-change.tsx';
import { type ReportedVersions, reportText } from './reported-versions.ts';

type Governance = ProposalPage['governance'];

interface ProposalsPanelProps {
  readonly page: Listed<ProposalPage>;
  readonly now: EpochRecordJson;
  /** Sealed. */
  readonly next: EpochRecordJson | undefined;
  readonly waiting: ReadonlyMap<string, ValidatorView>;
  /** Of a validator by its id. */
  readonly nameOf: (validatorId: string) => string | undefined;
  readonly versions: ReportedVersions | undefined;
}

export function ProposalsPanel({ page, ...more }: ProposalsPanelProps) {
  const { governance, items, malformed, next } = page;
  const decides =
    governance.by === 'administrators'
      ? `${governance.neededWeight} of ${governance.governors.length} administrators decide`
      : 'operators of more than two thirds of the weight decide';
  return (
    <Panel title="Open proposals" note={decides}>
      {items.length === 0 && malformed.length === 0 ? (
        <Empty title="No open proposal">A governor proposes a change with: slipstream governance propose</Empty>
      ) : (
        <ul className="stack">
          {items.map((proposal) => (
            <li key={proposal.id} className="proposal">
              <Proposal {...{ proposal, governance, ...more }} />
            </li>
          ))}
        </ul>
      )}
      <LeftOut malformed={malformed} />
      {next === null ? null : <p className="small soft">There are more: slipstream governance show lists all.</p>}
    </Panel>
  );
}

const COUNTDOWN_MS = 1_000;

interface ProposalProps extends Omit<ProposalsPanelProps, 'page'> {
  readonly proposal: ProposalView;
  readonly governance: Governance;
}

function Proposal({ proposal, governance, now, next, waiting, nameOf, versions }: ProposalProps) {
  // The chain's clock, by the node's.
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const nowMs = useNow(COUNTDOWN_MS) - skewMs;
  const { id, changes, approvedWeight, neededWeight } = proposal;
  const approved = approvedWeight >= neededWeight;
  const share = `${count(approvedWeight)} of ${count(neededWeight)}`;
  const text = governance.by === 'administrators' ? `${share} approvals` : `weight ${share} approved`;
  return (
    <article className="stack" aria-label={`Proposal ${id.slice(0, 10)}`}>
      <ol className="stack proposal-changes">
        {changes.map((change, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: changes are a fixed list, and two may be equal
          <li key={i}>
            <ProposedChange change={change} nameOf={nameOf} now={now.parameters} />
            {change.kind === 'setVersion' && versions !== undefined ? (
              <p className="small soft">{reportText(change.version, versions, (next ?? now).totalWeight)}</p>
            ) : null}
          </li>
        ))}
      </ol>
      <ProposalSteps steps={stepsOf(proposal, waiting.values(), nowMs)} />
      <div className="row">
        <Badge tone={approved ? 'good' : 'info'}>{text}</Badge>
        <span className="small soft">{countdown(proposal, nowMs)}</span>
      </div>
      <Facts facts={factsOf(proposal, governance)} />
    </article>
  );
}

/** Governors that have not approved. */
const MISSING_MAX = 8;

function factsOf(proposal: ProposalView, governance: Governance): readonly Fact[] {
  const { id, proposer, approvals, approvedWeight, neededWeight, notBeforeMs, expiresMs } = proposal;
  const given = new Set(approvals.map(({ account }) => account));
  const missing =
    approvedWeight >= neededWeight ? [] : governance.governors.filter(({ account }) => !given.has(account));
  const shown = missing.slice(0, MISSING_MAX);
  return [
    ['Proposal', <Hex key="id" value={id} what="proposal id" />],
    ['By', <Governor key="by" account={proposer} governance={governance} />],
    [
      'Approved by',
      <Lines key="approvals">
        {approvals.map(({ account, weight }) => (
          <li key={account}>
            <Governor account={account} governance={governance} />{' '}
            {weight === 0 ? 'no longer governs' : `weight ${count(weight)}`}
          </li>
        ))}
      </Lines>,
    ],
    ...(shown.length === 0
      ? []
      : [
          [
            'Not yet approved by',
            <Lines key="missing">
              {shown.map(({ account, weight }) => (
                <li key={account}>
                  <Governor account={account} governance={governance} /> weight {count(weight)}
                </li>
              ))}
              {missing.length > shown.length ? <li>and {count(missing.length - shown.length)} more</li> : null}
            </Lines>,
          ] as const,
        ]),
    ...(notBeforeMs === 0 ? [] : [['Not before', dateAndTime(notBeforeMs)] as const]),
    ['Expires', dateAndTime(expiresMs)],
    ['Waits for', waitText(proposal)],
  ];
}

function Lines({ children }: { readonly children: ReactNode }) {
  return <ul>{children}</ul>;
}

/** An operator by the names of its validators, too. */
function Governor({ account, governance }: { readonly account: string; readonly governance: Governance }) {
  const names = governance.governors.find((each) => each.account === account)?.validators ?? [];
  return (
    <>
      {names.length === 0 ? null : <b>{names.join(', ')} </b>}
      <Account account={account} />
    </>
  );
}
