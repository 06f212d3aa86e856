/** The way of transactions into blocks, and why some do not get there. */
import './dissemination.css';
import type { DisseminationStats } from '@slipstream/schema';
import { useMemo } from 'react';
import { bytes, count, duration, durationMeasure, perSecond, rateMeasure } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Loading } from '../../design/states.tsx';
import { Term } from '../../design/term.tsx';
import { rates } from '../../stream/rates.ts';
import { useStream } from '../../stream/use-stream.ts';
import { each, hasRows, ROWS_LINE, type SeriesLine, SeriesPanel } from '../series-panel.tsx';
import { BrokerPanel } from './broker-panel.tsx';
import { ChunkSums, Producers } from './chunk-panels.tsx';
import { flowModel, flowNote } from './flow.ts';
import { FlowDiagram } from './flow-diagram.tsx';

export function DisseminationView() {
  const stats = useStream((snapshot) => snapshot.stats);
  const broker = stats?.broker;
  return (
    <div className="view">
      <h1 className="hidden-label">Dissemination</h1>
      {stats === null ? <Loading what="the flow of transactions" /> : <Known stats={stats.dissemination} />}
      {broker === undefined ? null : <BrokerPanel stats={broker} />}
    </div>
  );
}

function Known({ stats }: { readonly stats: DisseminationStats }) {
  const model = useMemo(() => flowModel(stats), [stats]);
  return (
    <>
      <Counters stats={stats} />
      <Panel title="Transaction flow" note={flowNote(stats)}>
        <FlowDiagram model={model} />
      </Panel>
      <div className="columns">
        <div className="stack">
          <Rates />
          <ChunkSums stats={stats} />
        </div>
        <div className="stack">
          <Certification />
          <Producers />
        </div>
      </div>
    </>
  );
}

type StatsOf = { readonly stats: DisseminationStats };

function Counters({ stats }: StatsOf) {
  return (
    <div className="stats">
      <Received />
      <Mempool stats={stats} />
      <CertificationTime stats={stats} />
      <OwnChunks stats={stats} />
      <Backlog stats={stats} />
    </div>
  );
}

function Received() {
  const series = useStream((snapshot) => snapshot.series);
  const arriving = useMemo(() => rates(series.slice(-10), 'arrived').at(-1), [series]);
  const leaving = useMemo(() => rates(series.slice(-10), 'executed').at(-1), [series]);
  const rows = series.at(-1)?.rowsPerSecond ?? 0;
  const executed = [['executed', perSecond(leaving)]] as const;
  return (
    <Stat
      label={<Term word="Received" means="Transactions that clients and peers sent to this node in the last second." />}
      value={rateMeasure(arriving)}
      more={<Pairs pairs={rows > 0 ? [...executed, ['rows executed', perSecond(rows)]] : executed} />}
    />
  );
}

function Mempool({ stats: { flow } }: StatsOf) {
  const mempool = useStream((snapshot) => snapshot.stats?.mempool);
  return (
    <Stat
      label={
        <Term word="Mempool" means="Transactions in this node's mempool: not executed by a committed block yet." />
      }
      value={{ text: count(flow.waiting), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['size', bytes(mempool?.bytes)],
            ['verifying', count(flow.checking)],
          ]}
        />
      }
    />
  );
}

function CertificationTime({ stats: { certificationMs } }: StatsOf) {
  return (
    <Stat
      label={
        <Term
          word="Chunk certification"
          means="From the creation of a chunk to its certificate that a quorum stored it: p50 of the last minute. A validator counts its own chunks, a full node counts all."
        />
      }
      value={durationMeasure(certificationMs?.p50)}
      more={
        <Pairs
          pairs={[
            ['p95', duration(certificationMs?.p95)],
            ['p99', duration(certificationMs?.p99)],
          ]}
        />
      }
    />
  );
}

function OwnChunks({ stats: { producer } }: StatsOf) {
  return (
    <Stat
      label={<Term word="Own chunks" means="Produced by this validator since it started. A full node produces none." />}
      value={{ text: count(producer?.produced), unit: '' }}
      more={
        producer === null ? (
          'a full node produces none'
        ) : (
          <Pairs
            pairs={[
              ['certified', count(producer.certified)],
              ['interval', duration(producer.intervalMs)],
            ]}
          />
        )
      }
    />
  );
}

function Backlog({ stats: { chunks, producer } }: StatsOf) {
  return (
    <Stat
      label={
        <Term
          word="Backlog"
          means="Chunks stored here and not on the final chain yet, and transactions ready for the next own chunk."
        />
      }
      value={{ text: count(chunks.pending), unit: 'chunks' }}
      more={
        <Pairs
          pairs={[
            ['size', bytes(chunks.pendingBytes)],
            ['ready', count(producer?.ready)],
          ]}
        />
      }
    />
  );
}

const RATES: readonly SeriesLine[] = [
  { label: 'Received', color: '--accent', values: (series) => rates(series, 'arrived') },
  { label: 'Executed', color: '--stage-final', values: (series) => rates(series, 'executed') },
];
const RATES_WITH_ROWS: readonly SeriesLine[] = [...RATES, ROWS_LINE];

function Rates() {
  const lines = useStream(hasRows) ? RATES_WITH_ROWS : RATES;
  const label = 'Transactions received and executed per second';
  return <SeriesPanel title="Received and executed" note="per second" label={label} lines={lines} format={perSecond} />;
}

const CERTIFICATION: readonly SeriesLine[] = [
  { label: 'p50', color: '--stage-certified', values: each('certificationP50') },
  { label: 'p99', color: '--stage-nullified', values: each('certificationP99') },
];

function Certification() {
  const label = 'Time from the creation of a chunk to its certificate';
  const note = 'each point over one minute';
  return (
    <SeriesPanel title="Chunk certification time" note={note} label={label} lines={CERTIFICATION} format={duration} />
  );
}
