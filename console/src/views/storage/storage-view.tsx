/** Storage: how fast what is signed reaches the disk, what lies there, what is compacted, kept and given away. */
import './storage.css';
import type { Stats, StorageStats } from '@slipstream/schema';
import { useMemo } from 'react';
import { type Fact, Facts } from '../../design/facts.tsx';
import { ago, bytes, count, duration, durationMeasure, NONE, percent } from '../../design/format.ts';
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
      {stats === null ? <Loading what="what lies on the disk" /> : null}
      {stats !== null && stats.storage === undefined ? (
        <Empty title="This node tells nothing of its storage">It may run an older version.</Empty>
      ) : null}
      {stats?.storage === undefined ? null : <Known stats={stats} storage={stats.storage} />}
    </div>
  );
}

function Known({ stats, storage }: { readonly stats: Stats; readonly storage: StorageStats }) {
  return (
    <>
      <Counters storage={storage} />
      <div className="columns">
        <SyncTimes />
        <SyncsPerView />
      </div>
      <div className="columns">
        <div className="stack">
          <DiskUse storage={storage} />
          <Kept height={stats.height} storage={storage} />
        </div>
        <div className="stack">
          <StateFiles state={storage.state} />
          <Snapshots snapshots={storage.snapshots} />
        </div>
      </div>
    </>
  );
}

function Counters({ storage }: { readonly storage: StorageStats }) {
  const series = useStream((snapshot) => snapshot.series);
  const perView = useMemo(() => ratioOver(series, 'syncs', 'view', WINDOW_MS), [series]);
  const { state } = storage;
  return (
    <div className="stats">
      <Stat
        label={
          <Term
            word="Sync of the log, p99"
            means="How long fdatasync takes: 99 of 100 within this, over the last minute. A vote leaves only when it is durable."
          />
        }
        value={durationMeasure(storage.syncMsP99)}
        more={
          <Pairs
            pairs={[
              ['middle', duration(storage.syncMsP50)],
              ['since start', count(storage.syncs)],
            ]}
          />
        }
      />
      <Stat
        label={
          <Term
            word="Syncs a view"
            means="Of the write-ahead log, over the last minute. Only what carries a signature is synced: votes, and acks of chunks."
          />
        }
        value={{ text: perView === null ? NONE : perView.toFixed(2), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['records', count(storage.records)],
              ['written', bytes(storage.writtenBytes)],
            ]}
          />
        }
      />
      <Stat
        label={<Term word="State" means="Accounts and their data: the log-structured store on disk." />}
        value={measureOf(storage.stateBytes)}
        more={
          <Pairs
            pairs={[
              ['entries', count(state?.keys)],
              ['index', bytes(state?.indexBytes)],
            ]}
          />
        }
      />
      <Stat
        label={
          <Term
            word="Ledger"
            means="Blocks, receipts, certificates and their indexes; beside it the committed chunks."
          />
        }
        value={measureOf(storage.ledgerBytes)}
        more={<Pairs pairs={[['chunks', bytes(storage.chunkBytes)]]} />}
      />
      <Stat
        label={
          <Term
            word="Compactions"
            means="Log files of the state store that were rewritten without their dead records, since start."
          />
        }
        value={{ text: count(state?.compactions), unit: '' }}
        more={
          <Pairs
            pairs={[
              ['log files', count(state?.files)],
              ['dead', bytes(state?.deadBytes)],
            ]}
          />
        }
      />
      <Stat
        label={
          <Term word="Free" means="On the disk that this node writes to. A node that cannot write stops at once." />
        }
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
    </div>
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
  { label: 'Middle', color: '--accent', values: each('syncP50') },
  { label: '99 of 100', color: '--stage-nullified', values: each('syncP99') },
];

function SyncTimes() {
  const label = 'Time that a sync of the log takes';
  const note = 'over the last minute each';
  return <SeriesPanel title="Time of a sync" note={note} label={label} lines={SYNC_TIMES} format={duration} />;
}

const perView = (value: number | null | undefined) => (value === null || value === undefined ? NONE : value.toFixed(2));

const SYNCS_PER_VIEW: readonly SeriesLine[] = [
  { label: 'Syncs a view', color: '--stage-final', values: (series) => ratios(series, 'syncs', 'view') },
];

function SyncsPerView() {
  const label = 'Syncs of the log for each view';
  return <SeriesPanel title="Syncs a view" note="on average" label={label} lines={SYNCS_PER_VIEW} format={perView} />;
}

function StateFiles({ state }: { readonly state: StorageStats['state'] }) {
  if (state === undefined) return null;
  const { liveBytes, deadBytes, files, compactions, prepared, keys, indexBytes } = state;
  const facts: readonly Fact[] = [
    ['Entries', count(keys)],
    ['Index in memory', bytes(indexBytes)],
    ['Files rewritten', `${count(compactions)} since start`],
    ['Blocks held in memory', count(prepared)],
  ];
  return (
    <Panel title="State log files" note={`${count(files)} files`}>
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
            <span>dead, until their file is compacted</span> <b>{bytes(deadBytes)}</b>
          </li>
        </ul>
        <Facts facts={facts} />
      </div>
    </Panel>
  );
}

function Kept({ height, storage }: { readonly height: number; readonly storage: StorageStats }) {
  const { earliestHeight, retentionBlocks } = storage;
  const policy =
    retentionBlocks === null
      ? 'all: this node is an archive'
      : retentionBlocks === undefined
        ? NONE
        : `the last ${count(retentionBlocks)} blocks, and always the last minute`;
  const facts: readonly Fact[] = [
    ['Oldest block', earliestHeight === undefined ? NONE : count(earliestHeight)],
    ['Newest block', count(height)],
    ['Blocks kept', earliestHeight === undefined ? NONE : count(height - earliestHeight + 1)],
    ['Pruned so far', earliestHeight === undefined ? NONE : count(Math.max(0, earliestHeight - 1))],
    ['What is kept', policy],
  ];
  return (
    <Panel title="Pruning" note="older blocks are answered with 410">
      <Facts facts={facts} />
    </Panel>
  );
}

function Snapshots({ snapshots }: { readonly snapshots: StorageStats['snapshots'] }) {
  const skewMs = useStream((snapshot) => snapshot.skewMs);
  const now = useNow(1_000);
  return (
    <Panel title="Snapshots" note="served to nodes that join">
      {snapshots === undefined || snapshots.length === 0 ? (
        <Empty title="None yet">One is made every sync.snapshotEvery blocks, as links: it costs next to nothing.</Empty>
      ) : (
        <Facts
          facts={snapshots.map(({ batch, atMs }) => [
            `Batch ${count(batch)}`,
            `made ${ago(Math.max(0, now - skewMs - atMs))}`,
          ])}
        />
      )}
    </Panel>
  );
}
