/**
 * Chunk references: no chunk is referenced twice on a chain (D2).
 *
 *   genesis <- ... committed <- committed <- tracked <- tracked
 *                                        \<- tracked (a rival)
 *
 * A chunk expires at most REFERENCE_WINDOW_MS after a block that references it, and timestamps grow along a chain. So a block at time t is
 * checked only against ancestors after t - REFERENCE_WINDOW_MS. Older committed blocks are forgotten, and uncommitted ones once a block
 * of their height, or another child of their parent, is committed.
 */
import { type Block, type BlockId, hexOf } from '@slipstream/types';
import type { DisseminationEvents } from '../events.ts';
import { REFERENCE_WINDOW_MS, TRACKED_BLOCKS_MAX } from '../limits.ts';
import type { DropCounter } from '../metrics/drop-counter.ts';

interface Ancestry {
  /** The first unknown ancestor within the window: D2 cannot be judged without it. */
  readonly missing: string | undefined;
  /** By an ancestor within the window. */
  references(chunk: string): boolean;
}

export interface ChunkReferences {
  /** A block whose place in the chain is known. Idempotent; whether it is new. */
  trackBlock(blockId: BlockId, block: Block): boolean;
  /** In order of height. Forgets the block's rivals. */
  commitBlock(blockId: BlockId, block: Block): void;
  /** Of a child of `parentId` with this timestamp. */
  ancestry(parentId: BlockId, timestampMs: number): Ancestry;
  /** Resolves when the block is tracked. Rejects with the signal's reason. */
  waitForBlock(hex: string, signal: AbortSignal): Promise<void>;
  /** Of a tracked block, in order. */
  chunksOf(block: string): readonly string[] | undefined;
  /** By a block that is or may become final. */
  isReferenced(chunk: string): boolean;
  readonly size: number;
}

interface TrackedBlock {
  readonly parent: string;
  readonly height: number;
  readonly timestampMs: number;
  readonly chunks: readonly string[];
  committed: boolean;
}

export function createChunkReferences(
  genesisId: BlockId,
  drops: DropCounter,
  events: Pick<DisseminationEvents, 'blockTracked'>,
): ChunkReferences {
  const blocks = new Map<string, TrackedBlock>();
  /** Number of tracked blocks by referenced chunk. */
  const references = new Map<string, number>();
  const waiters = new Map<string, Set<() => void>>();
  const genesis = hexOf(genesisId);

  function countReferences(entry: TrackedBlock, by: number): void {
    for (const chunk of entry.chunks) {
      const total = (references.get(chunk) ?? 0) + by;
      if (total === 0) references.delete(chunk);
      else references.set(chunk, total);
    }
  }

  function forgetBlock(hex: string, entry: TrackedBlock): void {
    blocks.delete(hex);
    countReferences(entry, -1);
  }

  function trackBlock(blockId: BlockId, block: Block): boolean {
    const hex = hexOf(blockId);
    if (blocks.has(hex)) return false;
    if (blocks.size >= TRACKED_BLOCKS_MAX) evictOldest();
    const entry: TrackedBlock = {
      parent: hexOf(block.parentId),
      height: block.height,
      timestampMs: block.timestampMs,
      chunks: block.payload.map(({ chunkId }) => hexOf(chunkId)),
      committed: false,
    };
    blocks.set(hex, entry);
    countReferences(entry, 1);
    const waiting = waiters.get(hex);
    waiters.delete(hex);
    for (const wake of waiting ?? []) wake();
    events.blockTracked(hex);
    return true;
  }

  /** Only for a fault of consensus, which has its own bound. */
  function evictOldest(): void {
    for (const [hex, entry] of blocks) {
      if (entry.committed) continue;
      forgetBlock(hex, entry);
      drops.add('noted-block');
      return;
    }
  }

  function commitBlock(blockId: BlockId, block: Block): void {
    trackBlock(blockId, block);
    const hex = hexOf(blockId);
    const entry = blocks.get(hex);
    if (entry) entry.committed = true;
    const parentOfCommitted = hexOf(block.parentId);
    for (const [other, { committed, height, parent, timestampMs }] of [...blocks]) {
      const isCompeting = !committed && (height <= block.height || parent === parentOfCommitted);
      const isOld = committed && other !== hex && timestampMs <= block.timestampMs - REFERENCE_WINDOW_MS;
      if (isCompeting || isOld) forgetBlock(other, blocks.get(other) as TrackedBlock);
    }
  }

  function ancestry(parentId: BlockId, timestampMs: number): Ancestry {
    const ancestors: TrackedBlock[] = [];
    let referenced: ReadonlySet<string> | undefined;
    // Most chunks are of no block, so the set is built on demand.
    function isAmong(chunk: string): boolean {
      if (!references.has(chunk)) return false;
      referenced ??= new Set(ancestors.flatMap(({ chunks }) => chunks));
      return referenced.has(chunk);
    }
    let at: string = hexOf(parentId);
    let childCommitted = false;
    while (at !== genesis) {
      const entry = blocks.get(at);
      // A committed block's unknown parent was outside the window at commit.
      if (entry === undefined) return { missing: childCommitted ? undefined : at, references: isAmong };
      if (entry.timestampMs <= timestampMs - REFERENCE_WINDOW_MS) break;
      ancestors.push(entry);
      childCommitted = entry.committed;
      at = entry.parent;
    }
    return { missing: undefined, references: isAmong };
  }

  function waitForBlock(hex: string, signal: AbortSignal): Promise<void> {
    if (blocks.has(hex) || hex === genesis) return Promise.resolve();
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const waiting = waiters.get(hex) ?? new Set();
      waiters.set(hex, waiting);
      const wake = () => {
        signal.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = () => {
        waiting.delete(wake);
        if (waiting.size === 0 && waiters.get(hex) === waiting) waiters.delete(hex);
        reject(signal.reason);
      };
      waiting.add(wake);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    trackBlock,
    commitBlock,
    ancestry,
    waitForBlock,
    chunksOf: (block) => blocks.get(block)?.chunks,
    isReferenced: (chunk) => references.has(chunk),
    get size() {
      return blocks.size;
    },
  };
}
