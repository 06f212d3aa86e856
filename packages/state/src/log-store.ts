/**
 * The state store: one overlay per block, one lineage of them on disk, the index below.
 *
 *   prepared, appended: overlays --> the newest committed batch: an overlay, until it is folded --> index
 */
import type { Telemetry } from '@slipstream/ports';
import type { Batch, PackedBatch } from './batch.ts';
import { type Committed, indexBytes } from './committed/committed.ts';
import { createIndexing, type Indexing } from './committed/indexing.ts';
import { StateError } from './errors.ts';
import type { Journal } from './journal/journal.ts';
import type { LogFiles } from './log/log-files.ts';
import type { PreallocationPolicy } from './log/preallocation.ts';
import { createWriteQueue, type WriteQueue } from './log/write-queue.ts';
import type { Overlay } from './overlay/overlay.ts';
import {
  commitOldest,
  createPreparedBlocks,
  dropBlock,
  overlayOf,
  type PreparedBlocks,
  releaseFolded,
} from './overlay/prepared-blocks.ts';
import type { Chain } from './parameters.ts';
import { prepareBatch } from './prepare/prepare.ts';
import { firstEntries } from './reading/entries.ts';
import { packedEntries } from './reading/packed-entries.ts';
import { createReader } from './reading/reader.ts';
import { createRecentSegments, type RecentSegments } from './reading/recent-segments.ts';
import { verifyFiles } from './reading/verify.ts';
import type { Snapshots } from './snapshot/take-snapshots.ts';
import type { StateStats, StateStore, StateTip } from './store.ts';

interface StoreComponents {
  readonly telemetry: Telemetry;
  readonly directory: string;
  readonly snapshots: Snapshots | undefined;
  /** See StateComponents. */
  readonly pause: () => Promise<void>;
  readonly preallocation: PreallocationPolicy;
}

interface LogStore {
  readonly components: StoreComponents;
  readonly chain: Chain;
  readonly committed: Committed;
  readonly files: LogFiles;
  readonly journal: Journal;
  readonly blocks: PreparedBlocks;
  readonly indexing: Indexing;
  readonly queue: WriteQueue;
  readonly segments: RecentSegments;
  /** Running or queued appends, by block. */
  readonly appends: Map<string, Promise<void>>;
  compactions: number;
}

export function createLogStore(
  components: StoreComponents,
  chain: Chain,
  committed: Committed,
  files: LogFiles,
  journal: Journal,
): StateStore {
  const blocks = createPreparedBlocks(committed.recycler);
  const { pause, directory } = components;
  const indexing = createIndexing(committed, { pause, folded: (overlay) => finishFolding(store, overlay) });
  const queue = createWriteQueue(directory);
  const segments = createRecentSegments(files, chain);
  const store: LogStore = {
    components,
    chain,
    committed,
    files,
    journal,
    blocks,
    indexing,
    queue,
    segments,
    appends: new Map(),
    compactions: 0,
  };
  // Scrapers see the counter before its first event.
  components.telemetry.count('state_compactions_total', 0);
  const reader = createReader(committed, { tipBlock: () => tipOf(store).block, unfolded: () => indexing.unfolded });
  return {
    get tip() {
      return tipOf(store);
    },
    get: reader.get,
    view: (block) => reader.view(block === tipOf(store).block ? indexing.unfolded : overlayOf(blocks, block)),
    prepare: (parent, block, batch) => prepare(store, parent, block, batch),
    append: (block) => append(store, block),
    commit: (block) => commit(store, block),
    revert: (block) => revert(store, block),
    drop: (block) => drop(store, block),
    stats: () => readStats(store),
    entries(from, limit) {
      indexing.finish();
      return firstEntries(committed, from, limit);
    },
    packedEntries() {
      indexing.finish();
      const { batch } = tipOf(store);
      return packedEntries(committed, () => tipOf(store).batch === batch);
    },
    pending: () => blocks.pending.map(({ block }) => block),
    segment: (block) =>
      queue.step(async () => {
        const overlay = blocks.overlays.get(block);
        return overlay ? segments.ofPrepared(overlay) : segments.ofCommitted(block);
      }),
    verify: (onProgress) => verifyFiles(chain, () => durableOf(store), files, journal, queue.step, onProgress),
    close: () =>
      queue.close(async () => {
        await files.close();
        await journal.close();
      }),
  };
}

function tipOf({ indexing, committed }: LogStore): StateTip {
  const { batch, checksum, block } = indexing.unfolded ?? committed.tip;
  return { batch, checksum, block };
}

function durableOf(store: LogStore): Pick<Committed, 'tip' | 'logs'> {
  const { indexing, committed } = store;
  return { tip: tipOf(store), logs: indexing.unfolded?.logs ?? committed.logs };
}

function prepare(
  store: LogStore,
  parent: string,
  block: string,
  batch: Batch | PackedBatch,
): { readonly checksum: Uint8Array; readonly bytes: number } {
  const { blocks, chain, committed, indexing } = store;
  const tip = tipOf(store).block;
  if (blocks.overlays.has(block) || block === tip) {
    throw new StateError('already-prepared', `block ${block} is prepared already`, { block });
  }
  const below = parent === tip ? indexing.unfolded : overlayOf(blocks, parent);
  const overlay = prepareBatch(chain, committed, below, block, batch);
  blocks.overlays.set(block, overlay);
  return { checksum: overlay.checksum, bytes: overlay.bytes.length };
}

function drop({ blocks }: LogStore, block: string): void {
  const overlay = blocks.overlays.get(block);
  if (overlay === undefined) return;
  if (overlay.status === 'appended') {
    throw new StateError('out-of-order', `${block} is appended: revert it`, { block });
  }
  dropBlock(blocks, overlay);
}

function append(store: LogStore, block: string): Promise<void> {
  const { appends } = store;
  const done = enqueueAppend(store, block);
  const over = () => void appends.delete(block);
  appends.set(block, done);
  void done.then(over, over);
  return done;
}

function enqueueAppend({ blocks, components, files, indexing, queue }: LogStore, block: string): Promise<void> {
  return queue.change(['logs'], async (toDisk) => {
    const overlay = overlayOf(blocks, block);
    if (overlay.status !== 'prepared' || overlay.parent !== (blocks.pending.at(-1) ?? indexing.unfolded)) {
      throw new StateError('out-of-order', `${block} does not go on from the last appended block`, { block });
    }
    overlay.status = 'appended';
    blocks.pending.push(overlay);
    await toDisk(() => files.write(overlay, { syncNames: true }));
    components.telemetry.count('state_appended_bytes', overlay.bytes.length);
  });
}

/** Runs beside the append of a descendant, but after the block's own. */
async function commit(store: LogStore, block: string): Promise<void> {
  const { components, files, journal, blocks, indexing, queue, segments } = store;
  const written = store.appends.get(block);
  return queue.change(['journal'], async (toDisk) => {
    await written;
    const overlay = overlayOf(blocks, block);
    if (blocks.pending[0] !== overlay) {
      throw new StateError('out-of-order', `${block} is not the oldest pending block`, { block });
    }
    const { batch, checksum, slot, logs, offset, bytes } = overlay;
    const entry = { batch, checksum, block, file: logs.file[slot] as number, end: offset + bytes.length };
    await toDisk(() => journal.append(entry));
    await indexing.done();
    segments.committed(overlay);
    commitOldest(blocks, overlay);
    indexing.committed(overlay);
    if (overlay.replaces >= 0) {
      await toDisk(() => files.remove(overlay.replaces));
      store.compactions += 1;
      components.telemetry.count('state_compactions_total');
    }
    await components.snapshots?.committed(durableOf(store));
  });
}

function finishFolding(store: LogStore, overlay: Overlay): void {
  const { blocks, chain } = store;
  releaseFolded(blocks, overlay);
  const { batch, logs } = blocks.pending.at(-1) ?? overlay;
  const slot = (batch + 1) % (chain.parameters.history + 1);
  preallocateNext(store, overlay, logs.file[slot] as number, logs.bytes[slot] as number);
}

/** For a batch of the same size, unless the disk is busy with an append. */
function preallocateNext(
  { components, files, appends }: LogStore,
  { bytes }: Overlay,
  file: number,
  end: number,
): void {
  const { fromBytes, bytesMax } = components.preallocation;
  if (bytes.length < fromBytes || appends.size > 0 || file < 0) return;
  files.preallocate(file, end, Math.min(bytes.length, bytesMax));
}

function revert(store: LogStore, block: string): Promise<void> {
  const { files, blocks, queue } = store;
  const { pending } = blocks;
  return queue.change(['logs', 'journal'], async (toDisk) => {
    const overlay = overlayOf(blocks, block);
    const from = pending.indexOf(overlay);
    while (from >= 0 && pending.length > from) {
      const last = pending.pop() as Overlay;
      await toDisk(() => files.unwrite(last));
    }
    const { begins, logs, slot, offset } = overlay;
    if (from >= 0 && !begins) preallocateNext(store, overlay, logs.file[slot] as number, offset);
    dropBlock(blocks, overlay);
  });
}

async function readStats(store: LogStore): Promise<StateStats> {
  const { blocks, committed } = store;
  await store.indexing.done();
  const { live, bytes, file } = committed.logs;
  const liveBytes = live.reduce((sum, each) => sum + each, 0);
  return {
    keys: committed.table.count,
    liveBytes,
    deadBytes: bytes.reduce((sum, each) => sum + each, 0) - liveBytes,
    compactions: store.compactions,
    files: file.filter((each) => each >= 0).length + 1,
    indexBytes: indexBytes(committed),
    prepared: blocks.overlays.size,
    pending: blocks.pending.length,
  };
}
