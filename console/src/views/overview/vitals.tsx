import type { Stats } from '@slipstream/schema';
import { bytes, count, duration, durationMeasure, NONE, percent, rateMeasure } from '../../design/format.ts';
import { Sparkline } from '../../design/sparkline.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Term } from '../../design/term.tsx';
import { useStream } from '../../stream/use-stream.ts';
import { newestView } from './newest-view.ts';
import { participation, quorumNeeded } from './participation.ts';

const TERMS = {
  blockTime:
    'Time between two blocks that became final in a row. Measured at this node, over the last minute: p50, p95 and p99.',
  finality:
    'Time from a proposal reaching this node to the certificate after which its block can never be undone. Measured at this node, over the last minute.',
  rate: 'Transactions with a receipt in committed blocks, per second, over the last seconds.',
  participation:
    'Votes in the certificates of the last blocks, against all votes of the committee. A certificate is made as soon as a quorum voted, so a healthy chain may stay below 100 %; more than two thirds of the weight is needed.',
  mempool: 'Transactions that this node holds and that no final block includes yet.',
} as const;

export function Vitals() {
  const stats = useStream((snapshot) => snapshot.stats);
  return (
    <section className="stats" aria-label="Vitals, measured at this node">
      <HeightStat stats={stats} />
      <QuantileStat word="Block time" means={TERMS.blockTime} quantiles={stats?.blockTimeMs} />
      <QuantileStat word="Finality" means={TERMS.finality} quantiles={stats?.finalityMs} />
      <RateStat stats={stats} />
      <ParticipationStat />
      <Stat
        label={<Term word="Mempool" means={TERMS.mempool} />}
        value={{ text: count(stats?.mempool.transactions), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['size', bytes(stats?.mempool.bytes)],
              ['peers', count(stats?.peers.connected)],
            ]}
          />
        }
      />
    </section>
  );
}

function HeightStat({ stats }: { readonly stats: Stats | null }) {
  const height = useStream(({ status }) => status?.height);
  const finalHeight = useStream(({ status }) => status?.finalHeight);
  const view = useStream(({ views }) => newestView(stats?.view, views));
  return (
    <Stat
      label="Height"
      value={{ text: count(height), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['final', count(finalHeight)],
            ['view', count(view)],
          ]}
        />
      }
    />
  );
}

interface QuantileStatProps {
  readonly word: string;
  readonly means: string;
  readonly quantiles: Stats['finalityMs'] | undefined;
}

function QuantileStat({ word, means, quantiles }: QuantileStatProps) {
  return (
    <Stat
      label={
        <>
          <Term word={word} means={means} /> <span>p50</span>
        </>
      }
      value={durationMeasure(quantiles?.p50)}
      more={
        <Pairs
          pairs={[
            ['p95', duration(quantiles?.p95)],
            ['p99', duration(quantiles?.p99)],
          ]}
        />
      }
    />
  );
}

function RateStat({ stats }: { readonly stats: Stats | null }) {
  const series = useStream((snapshot) => snapshot.series);
  return (
    <Stat
      label={<Term word="Transactions" means={TERMS.rate} />}
      value={rateMeasure(stats?.transactionsPerSecond)}
      more={
        <Sparkline
          values={series.map((point) => point.transactionsPerSecond)}
          label="Transactions per second, last two minutes"
        />
      }
    />
  );
}

function ParticipationStat() {
  const committee = useStream((snapshot) => snapshot.committee);
  const views = useStream((snapshot) => snapshot.views);
  const { share, signers, members } = participation(views, committee);
  return (
    <Stat
      label={<Term word="Participation" means={TERMS.participation} />}
      value={{ text: percent(share), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['votes', signers === null ? NONE : `${signers.toFixed(1)} of ${count(members)}`],
            quorumNeeded(committee),
          ]}
        />
      }
    />
  );
}
