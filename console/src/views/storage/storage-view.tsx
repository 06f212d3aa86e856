import './storage.css';
import type { Stats, StorageStats } from '@slipstream/schema';
import { useMemo } from 'react';
import { type Fact, Facts } from '../../design/facts.tsx';
import { ago, bytes, count, counted, duration, durationMeasure, NONE, percent } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Pairs, Stat } from '../../design/stat.tsx';
import { Empty, Loading } from '../../design/states.tsx';
import { Term } from '../../design/term.tsx';
import { useNow } from '../../node/use-now.ts';
import { ratioOver, ratios } from '../../stream/rates.ts';
import { useStream } from '../../stream/use-stream.ts';
import { each, type SeriesLine, SeriesPanel } from '../series-panel.tsx';
import { DiskUse } from './disk-use.tsx';

const WINDOW_MS = 60_000;

export function StorageView() {
  const stats = useStream((snapshot) => snapshot.stats);
  return (
    <div className="view">
      <h1 className="hidden-label">Storage</h1>
      {stats === null ? <Loading what="storage statistics" /> : <Known stats={stats} storage={stats.storage} />}
    </div>
  );
}

function Known({ stats, storage }: { readonly stats: Stats; readonly storage: StorageStats }) {
  return (
    <>
      <Counters storage={storage} />
      <div className="columns">
        <FsyncLatency />
        <FsyncsPerView />
      </div>
      <div className="columns">
        <div className="stack">
          <DiskUse storage={storage} />
          <Pruning height={stats.height} storage={storage} />
        </div>
        <div className="stack">
          <StateFiles state={storage.state} />
          <Snapshots snapshots={storage.snapshots} />
        </div>
      </div>
    </>
  );
}

type StorageOf = { readonly storage: StorageStats };

function Counters({ storage }: StorageOf) {
  return (
    <div className="stats">
      <FsyncTime storage={storage} />
      <FsyncRate storage={storage} />
      <State storage={storage} />
      <Ledger storage={storage} />
      <Compactions storage={storage} />
      <FreeSpace storage={storage} />
    </div>
  );
}

function FsyncTime({ storage: { syncMsP99, syncMsP50, syncs } }: StorageOf) {
  return (
    <Stat
      label={
        <Term
          word="WAL fsync latency p99"
          means="Duration of fdatasync, p99 over the last minute. A vote is sent only after its log record is durable."
        />
      }
      value={durationMeasure(syncMsP99)}
      more={
        <Pairs
          pairs={[
            ['p50', duration(syncMsP50)],
            ['since start', count(syncs)],
          ]}
        />
      }
    />
  );
}

function FsyncRate({ storage: { records, writtenBytes } }: StorageOf) {
  const series = useStream((snapshot) => snapshot.series);
  const perView = useMemo(() => ratioOver(series, 'syncs', 'view', WINDOW_MS), [series]);
  return (
    <Stat
      label={
        <Term
          word="fsyncs per view"
          means="fsyncs of the write-ahead log per view, over the last minute. Only signed records are synced: votes and chunk acknowledgements."
        />
      }
      value={{ text: perView === null ? NONE : perView.toFixed(2), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['records', count(records)],
            ['written', bytes(writtenBytes)],
          ]}
        />
      }
    />
  );
}

function State({ storage: { stateBytes, state } }: StorageOf) {
  return (
    <Stat
      label={<Term word="State" means="Accounts and their data: the log-structured store on disk." />}
      value={measureOf(stateBytes)}
      more={
        <Pairs
          pairs={[
            ['entries', count(state.keys)],
            ['index', bytes(state.indexBytes)],
          ]}
        />
      }
    />
  );
}

function Ledger({ storage: { ledgerBytes, chunkBytes } }: StorageOf) {
  return (
    <Stat
      label={
        <Term word="Ledger" means="Blocks, receipts, certificates and their indexes; beside it the committed chunks." />
      }
      value={measureOf(ledgerBytes)}
      more={<Pairs pairs={[['chunks', bytes(chunkBytes)]]} />}
    />
  );
}

function Compactions({ storage: { state } }: StorageOf) {
  return (
    <Stat
      label={<Term word="Compactions" means="State log files rewritten without their dead records, since start." />}
      value={{ text: count(state.compactions), unit: '' }}
      more={
        <Pairs
          pairs={[
            ['log files', count(state.files)],
            ['dead', bytes(state.deadBytes)],
          ]}
        />
      }
    />
  );
}

function FreeSpace({ storage }: StorageOf) {
  return (
    <Stat
      label={<Term word="Free" means="Free space on the disk of the data folder. A node that cannot write stops." />}
      value={measureOf(storage.diskFreeBytes)}
      more={
        <Pairs
          pairs={[
            ['of', bytes(storage.diskBytes)],
            ['free', percent(shareOf(storage))],
          ]}
        />
      }
    />
  );
}

function measureOf(value: number | undefined) {
  const [text = NONE, unit = ''] = bytes(value).split(' ');
  return { text, unit };
}

function shareOf({ diskFreeBytes, diskBytes }: StorageStats): number | null {
  return diskFreeBytes === undefined || !diskBytes ? null : diskFreeBytes / diskBytes;
}

const SYNC_TIMES: readonly SeriesLine[] = [
  { label: 'p50', color: '--accent', values: each('syncP50') },
  { label: 'p99', color: '--stage-nullified', values: each('syncP99') },
];

function FsyncLatency() {
  const label = 'Duration of an fsync of the write-ahead log';
  const note = 'each point over one minute';
  return <SeriesPanel title="WAL fsync latency" note={note} label={label} lines={SYNC_TIMES} format={duration} />;
}

const perView = (value: number | null | undefined) => (value === null || value === undefined ? NONE : value.toFixed(2));

const SYNCS_PER_VIEW: readonly SeriesLine[] = [
  { label: 'fsyncs per view', color: '--stage-final', values: (series) => ratios(series, 'syncs', 'view') },
];

function FsyncsPerView() {
  const label = 'WAL fsyncs per view';
  return (
    <SeriesPanel title="fsyncs per view" note="on average" label={label} lines={SYNCS_PER_VIEW} format={perView} />
  );
}

function StateFiles({ state }: { readonly state: StorageStats['state'] }) {
  const { liveBytes, deadBytes, files, compactions, prepared, keys, indexBytes } = state;
  const facts: readonly Fact[] = [
    ['Entries', count(keys)],
    ['Index in memory', bytes(indexBytes)],
    ['Files rewritten', `${count(compactions)} since start`],
    ['Blocks in memory', count(prepared)],
  ];
  return (
    <Panel title="State log files" note={counted(files, 'file')}>
      <div className="stack">
        <div className="disk-bar" role="img" aria-label={`${bytes(liveBytes)} live, ${bytes(deadBytes)} dead`}>
          <span data-store="state" style={{ flexGrow: liveBytes }} />
          <span data-store="dead" style={{ flexGrow: deadBytes }} />
        </div>
        <ul className="disk-legend">
          <li data-store="state">
            <span>live</span> <b>{bytes(liveBytes)}</b>
          </li>
          <li data-store="dead">
            <span>dead, until compaction</span> <b>{bytes(deadBytes)}</b>
          </li>
        </ul>
        <Facts facts={facts} />
      </div>
    </Panel>
  );
}

function Pruning({ height, storage }: { readonly height: number; readonly storage: StorageStats }) {
  const { earliestHeight, retentionBlocks } = storage;
  const policy =
    retentionBlocks === null
      ? 'all blocks (archive node)'
      : `the last ${count(retentionBlocks)} blocks, and at least one minute`;
  const facts: readonly Fact[] = [
    ['Oldest block', earliestHeight === undefined ? NONE : count(earliestHeight)],
    ['Newest block', count(height)],
    ['Blocks retained', earliestHeight === undefined ? NONE : count(height - earliestHeight + 1)],
    ['Pruned so far', earliestHeight === undefined ? NONE : count(Math.max(0, earliestHeight - 1))],
    ['Retention', policy],
  ];
  return (
    <Panel title="Pruning" note="requests for pruned blocks answer 410">
      <Facts facts={facts} />
    </Panel>
  );
}

function Snapshots({ snapshots }: { readonly snapshots: StorageStats['snapshots'] }) {
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const now = useNow(1_000);
  return (
    <Panel title="Snapshots" note="served to joining nodes">
      {snapshots === undefined || snapshots.length === 0 ? (
        <Empty title="None yet">
          The node takes a snapshot every <code>sync.snapshotEvery</code> blocks, with hard links.
        </Empty>
      ) : (
        <Facts
          facts={snapshots.map(({ batch, atMs }) => [
            `Batch ${count(batch)}`,
            `taken ${ago(Math.max(0, now - skewMs - atMs))}`,
          ])}
        />
      )}
    </Panel>
  );
}
