/**
 * The state store over its logs: one overlay per block, one lineage of them on disk, the index below.
 *
 *   prepared, appended: overlays --> the newest committed batch: an overlay, until it is folded --> index
 *
 * A failed write, sync or removal breaks the store: the disk's content is uncertain until the store is opened again.
 */
import type { Telemetry } from '@slipstream/ports';
import { compareBytes } from '@slipstream/primitives';
import type { PackedBatch } from './batch.ts';
import { type Committed, indexBytes, keyAt, valueAt } from './committed.ts';
import { StateError } from './errors.ts';
import { createIndexing } from './indexing.ts';
import type { Journal } from './journal.ts';
import type { LogFiles } from './log-files.ts';
import type { Overlay } from './overlay.ts';
import type { PreallocationPolicy } from './preallocation.ts';
import { type Chain, prepareBatch } from './prepare.ts';
import { createReader } from './reader.ts';
import { createSegments } from './segments.ts';
import type { Snapshots } from './snapshot.ts';
import type { StateEntry, StateStats, StateStore, StateTip } from './store.ts';
import { verifyFiles } from './verify.ts';
import type { Batch } from './write.ts';
import { createWriteQueue } from './write-queue.ts';

interface StoreComponents {
  readonly telemetry: Telemetry;
  readonly directory: string;
  readonly snapshots: Snapshots | undefined;
  /** See StateComponents. */
  readonly pause: () => Promise<void>;
  readonly preallocation: PreallocationPolicy;
}

export function createLogStore(
  { telemetry, directory, snapshots, pause, preallocation }: StoreComponents,
  chain: Chain,
  committed: Committed,
  files: LogFiles,
  journal: Journal,
): StateStore {
  const overlays = new Map<string, Overlay>();
  /** Appended blocks, oldest first. */
  const pending: Overlay[] = [];
  /** Running or queued appends. */
  const appends = new Map<string, Promise<void>>();
  const indexing = createIndexing(committed, { pause, folded });
  const reader = createReader(committed, { tipBlock: () => tip().block, unfolded: () => indexing.unfolded });
  const queue = createWriteQueue(directory);
  const segments = createSegments(files, chain);

  let compactions = 0;

  function tip(): StateTip {
    const { batch, checksum, block } = indexing.unfolded ?? committed.tip;
    return { batch, checksum, block };
  }

  const durable = () => ({ tip: tip(), logs: indexing.unfolded?.logs ?? committed.logs });

  function need(block: string): Overlay {
    const overlay = overlays.get(block);
    if (overlay === undefined) throw new StateError('unknown-block', `block ${block} is not prepared`, { block });
    return overlay;
  }

  function prepare(parent: string, block: string, batch: Batch | PackedBatch): { checksum: Uint8Array; bytes: number } {
    if (overlays.has(block) || block === tip().block) {
      throw new StateError('already-prepared', `block ${block} is prepared already`, { block });
    }
    const below = parent === tip().block ? indexing.unfolded : need(parent);
    const overlay = prepareBatch(chain, committed, below, block, batch);
    overlays.set(block, overlay);
    return { checksum: overlay.checksum, bytes: overlay.bytes.length };
  }

  function forget(overlay: Overlay): void {
    overlay.status = 'dropped';
    overlays.delete(overlay.block);
    for (const other of [...overlays.values()]) if (other.parent === overlay) forget(other);
    committed.recycler.giveBack(overlay);
  }

  function drop(block: string): void {
    const overlay = overlays.get(block);
    if (overlay === undefined) return;
    if (overlay.status === 'appended') {
      throw new StateError('out-of-order', `${block} is appended: revert it`, { block });
    }
    forget(overlay);
  }

  const appendInTurn = (block: string): Promise<void> =>
    queue.change(['logs'], async (toDisk) => {
      const overlay = need(block);
      if (overlay.status !== 'prepared' || overlay.parent !== (pending.at(-1) ?? indexing.unfolded)) {
        throw new StateError('out-of-order', `${block} does not go on from the last appended block`, { block });
      }
      overlay.status = 'appended';
      pending.push(overlay);
      await toDisk(() => files.write(overlay, { syncNames: true }));
      telemetry.count('state_appended_bytes', overlay.bytes.length);
    });

  function append(block: string): Promise<void> {
    const done = appendInTurn(block);
    const over = () => void appends.delete(block);
    appends.set(block, done);
    void done.then(over, over);
    return done;
  }

  /** Runs beside the append of a descendant, but waits for the block's own append. */
  async function commit(block: string): Promise<void> {
    const written = appends.get(block);
    return queue.change(['journal'], async (toDisk) => {
      await written;
      const overlay = need(block);
      if (pending[0] !== overlay) {
        throw new StateError('out-of-order', `${block} is not the oldest pending block`, { block });
      }
      const { batch, checksum, slot, logs, offset, bytes } = overlay;
      const entry = { batch, checksum, block, file: logs.file[slot] as number, end: offset + bytes.length };
      await toDisk(() => journal.append(entry));
      await indexing.done();
      segments.committed(overlay);
      settle(overlay);
      if (overlay.replaces >= 0) {
        await toDisk(() => files.remove(overlay.replaces));
        compactions++;
        telemetry.count('state_compactions_total');
      }
      await snapshots?.committed(durable());
    });
  }

  /** Makes the overlay part of the committed state and drops its rivals. */
  function settle(overlay: Overlay): void {
    pending.shift();
    overlay.status = 'committed';
    overlays.delete(overlay.block);
    for (const rival of [...overlays.values()]) if (rival.parent === undefined) forget(rival);
    indexing.committed(overlay);
  }

  /** Detaches the children: they read on in the index. */
  function folded(overlay: Overlay): void {
    overlay.status = 'folded';
    for (const child of overlays.values()) if (child.parent === overlay) child.parent = undefined;
    committed.recycler.giveBack(overlay);
    const { batch, logs } = pending.at(-1) ?? overlay;
    const slot = (batch + 1) % (chain.parameters.history + 1);
    preallocateNext(overlay, logs.file[slot] as number, logs.bytes[slot] as number);
  }

  /** Preallocates for a batch of the same size, unless an append is under way: the disk is busy then. */
  function preallocateNext({ bytes }: Overlay, file: number, end: number): void {
    if (bytes.length < preallocation.fromBytes || appends.size > 0 || file < 0) return;
    files.layOut(file, end, Math.min(bytes.length, preallocation.bytesMax));
  }

  const revert = (block: string): Promise<void> =>
    queue.change(['logs', 'journal'], async (toDisk) => {
      const overlay = need(block);
      const from = pending.indexOf(overlay);
      while (from >= 0 && pending.length > from) {
        const last = pending.pop() as Overlay;
        await toDisk(() => files.unwrite(last));
      }
      const { begins, logs, slot, offset } = overlay;
      if (from >= 0 && !begins) preallocateNext(overlay, logs.file[slot] as number, offset);
      forget(overlay);
    });

  async function stats(): Promise<StateStats> {
    await indexing.done();
    const { live, bytes, file } = committed.logs;
    const liveBytes = live.reduce((sum, each) => sum + each, 0);
    return {
      keys: committed.table.count,
      liveBytes,
      deadBytes: bytes.reduce((sum, each) => sum + each, 0) - liveBytes,
      compactions,
      files: file.filter((each) => each >= 0).length + 1,
      indexBytes: indexBytes(committed),
      prepared: overlays.size,
      pending: pending.length,
    };
  }

  function entries(from: Uint8Array | undefined, limit: number): readonly StateEntry[] {
    indexing.finish();
    const found: { key: Uint8Array; address: number }[] = [];
    const cutBack = () => {
      found.sort((a, b) => compareBytes(a.key, b.key));
      found.length = Math.min(found.length, limit);
    };
    committed.table.each((address) => {
      const key = keyAt(committed, address);
      if (from !== undefined && compareBytes(key, from) < 0) return;
      found.push({ key, address });
      if (found.length >= 2 * limit + 1024) cutBack();
    });
    cutBack();
    return found.map(({ key, address }) => ({ key, value: valueAt(committed, address) }));
  }

  return {
    get tip() {
      return tip();
    },
    get: reader.get,
    view: (block) => reader.view(block === tip().block ? indexing.unfolded : need(block)),
    prepare,
    append,
    commit,
    revert,
    drop,
    stats,
    entries,
    pending: () => pending.map(({ block }) => block),
    segment: (block) =>
      queue.step(async () => {
        const overlay = overlays.get(block);
        return overlay ? segments.ofPrepared(overlay) : segments.ofCommitted(block);
      }),
    verify: (onProgress) => verifyFiles(chain, durable, files, journal, queue.step, onProgress),
    close: () =>
      queue.close(async () => {
        await files.close();
        await journal.close();
      }),
  };
}
