/** The broker of this node: what its clients send, and what becomes of it. */
import type { BrokerStats } from '@slipstream/schema';
import { count, duration, percent } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Term } from '../../design/term.tsx';

interface Props {
  readonly stats: BrokerStats;
}

export function BrokerPanel({ stats }: Props) {
  return (
    <Panel title="Broker" note="since this node started">
      <div className="stats">
        <Intake stats={stats} />
        <Shares stats={stats} />
        <Outcomes stats={stats} />
      </div>
    </Panel>
  );
}

function Intake({ stats: { sessions, accounts, rowsInFlight, windows, rows } }: Props) {
  return (
    <>
      <Stat
        label={<Term word="Sessions" means="Streams of clients that send rows for distilled batches, now." />}
        value={{ text: count(sessions), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['accounts', count(accounts)],
              ['rows in flight', count(rowsInFlight)],
            ]}
          />
        }
      />
      <Stat
        label={
          <Term
            word="Windows"
            means="Headers that clients were asked to sign. One is repeated when a row had to be dropped."
          />
        }
        value={{ text: count(windows), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['rows', count(rows)],
              ['rows each', count(windows === 0 ? 0 : Math.round(rows / windows))],
            ]}
          />
        }
      />
    </>
  );
}

function Shares({ stats }: Props) {
  const asked = stats.sharesGood + stats.sharesMissing + stats.sharesFalse;
  return (
    <>
      <Stat
        label={<Term word="Shares" means="Senders whose share of the aggregate came in time and held." />}
        value={{ text: asked === 0 ? count(0) : percent(stats.sharesGood / asked), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['missing', count(stats.sharesMissing)],
              ['false', count(stats.sharesFalse)],
            ]}
          />
        }
      />
      <Stat
        label={
          <Term word="Stragglers" means="Rows in a batch by their straggler signature. They pay an ordinary fee." />
        }
        value={{ text: count(stats.stragglers), unit: 'rows' }}
        more={
          <Pairs
            pairs={[
              ['dropped', count(sum(stats.dropped))],
              ['refused', count(sum(stats.refused))],
            ]}
          />
        }
      />
    </>
  );
}

function Outcomes({ stats: { rowsFinal, batchesFinal, batchMs, roundTripMsP95 } }: Props) {
  return (
    <>
      <Stat
        label={
          <Term word="Batch latency" means="From a header to the final block of its batch: p50 of the last minute." />
        }
        value={{ text: duration(batchMs?.p50), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['p95', duration(batchMs?.p95)],
              ['share', duration(roundTripMsP95)],
            ]}
          />
        }
      />
      <Stat
        label={<Term word="Final rows" means="Rows of this broker in final blocks." />}
        value={{ text: count(rowsFinal), unit: '' }}
        more={<Pairs pairs={[['batches', count(batchesFinal)]]} />}
      />
    </>
  );
}

function sum(reasons: BrokerStats['dropped']): number {
  return reasons.reduce((total, { count: some }) => total + some, 0);
}
