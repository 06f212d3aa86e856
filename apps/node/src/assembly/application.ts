/**
 * The application that consensus orders: dissemination provides payloads, the executor executes and commits them.
 *
 *   consensus --check, build--> dissemination      consensus --execute, finalized, certified--> executor
 *                                    \--chunks----------------------------------------------------^
 */
import type { Application } from '@slipstream/consensus';
import type { Dissemination, PayloadChunk } from '@slipstream/dissemination';
import type { LedgerReader } from '@slipstream/ledger';
import { bytesEqual } from '@slipstream/primitives';
import type { Archive, SnapshotArchive } from '@slipstream/sync';
import {
  type Block,
  type BlockId,
  CHUNK_BYTES_MAX,
  type ChunkId,
  digestPreimageCodec,
  hexOf,
  SYNC_CHUNKS_MAX,
} from '@slipstream/types';
import { packIds } from '../api-thread/ids.ts';
import type { Executor } from '../executor/executor.ts';
import { type SuppliedChunk, verdictByte } from '../executor/wire.ts';

/** Chunks of blocks above the committed one: gathered by block, served to the executor by chunk id. */
export interface PayloadDesk {
  /** Starts to gather a block's chunks; repeated calls have no effect. */
  open(blockId: BlockId, block: Block): void;
  /** From the first complete open block that names the chunk, including blocks opened later. */
  chunkOf(chunkId: ChunkId, signal: AbortSignal): Promise<SuppliedChunk>;
  /**
   * Drops a committed block, those at its height and below, and other children of its parent, at any claimed height: their missing
   * chunks are no longer requested.
   */
  close(committed: Pick<Block, 'height' | 'parentId'>): void;
  stop(): void;
}

interface OpenBlock {
  readonly block: Block;
  /** Gathers its chunks; tries again after a failure. */
  readonly payload: () => Promise<readonly PayloadChunk[]>;
  readonly abort: AbortController;
}

export function createPayloadDesk(dissemination: Pick<Dissemination, 'payloadOf'>): PayloadDesk {
  const open = new Map<string, OpenBlock>();
  /** Open blocks that name a chunk: rivals share chunks. */
  const blocksOfChunk = new Map<string, Set<string>>();
  /** Waits for a chunk: called with each opened block that names it. */
  const waiting = new Map<string, Set<(block: OpenBlock) => void>>();

  function begin(blockId: BlockId, block: Block): void {
    const key = hexOf(blockId);
    if (open.has(key) || block.payload.length === 0) return;
    const abort = new AbortController();
    const payload = repeatable(() => dissemination.payloadOf(blockId, block, abort.signal));
    const opened = { block, payload, abort };
    open.set(key, opened);
    payload().catch(() => {}); // reported to the caller that needs a chunk
    for (const { chunkId } of block.payload) {
      const hex = hexOf(chunkId);
      blocksOfChunk.set(hex, (blocksOfChunk.get(hex) ?? new Set()).add(key));
      for (const join of waiting.get(hex) ?? []) join(opened);
    }
  }

  async function chunkIn({ block, payload }: OpenBlock, wanted: ChunkId): Promise<PayloadChunk> {
    const at = block.payload.findIndex(({ chunkId }) => bytesEqual(chunkId, wanted));
    return (await payload())[at] as PayloadChunk;
  }

  /** A hostile leader's block may name the chunk beside chunks that do not exist. Rejects with the first error when every block fails. */
  async function firstToBring(chunkId: ChunkId, hex: string, signal: AbortSignal): Promise<PayloadChunk> {
    const { promise, resolve, reject } = Promise.withResolvers<PayloadChunk>();
    const errors: unknown[] = [];
    let joined = 0;
    function join(block: OpenBlock): void {
      joined += 1;
      chunkIn(block, chunkId).then(resolve, (error: unknown) => {
        errors.push(error);
        if (errors.length === joined) reject(errors[0]);
      });
    }
    const giveUp = () => reject(signal.reason);
    const waiters = waiting.get(hex) ?? new Set();
    waiting.set(hex, waiters.add(join));
    signal.addEventListener('abort', giveUp);
    for (const key of blocksOfChunk.get(hex) ?? []) join(open.get(key) as OpenBlock);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
      waiters.delete(join);
      if (waiters.size === 0) waiting.delete(hex);
    }
  }

  return {
    open: begin,
    async chunkOf(chunkId, signal) {
      const hex = hexOf(chunkId);
      if (!blocksOfChunk.has(hex)) throw new Error(`chunk ${hex} is of no block that is being executed`);
      signal.throwIfAborted();
      const { bytes, verdicts, ids } = await firstToBring(chunkId, hex, signal);
      return { bytes, verdicts: Uint8Array.from(verdicts, verdictByte), ids: packIds(ids) };
    },
    close({ height, parentId }) {
      for (const [key, { block, abort }] of open) {
        if (block.height > height && !bytesEqual(block.parentId, parentId)) continue;
        open.delete(key);
        abort.abort(new Error(`another block of height ${height} is committed`));
        for (const { chunkId } of block.payload) {
          const hex = hexOf(chunkId);
          const blocks = blocksOfChunk.get(hex);
          blocks?.delete(key);
          if (blocks?.size === 0) blocksOfChunk.delete(hex);
        }
      }
    },
    stop() {
      for (const { abort } of open.values()) abort.abort();
      open.clear();
      blocksOfChunk.clear();
    },
  };
}

/** Returns the same promise until it rejects; the next call starts again. */
function repeatable<T>(begin: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= begin().catch((error: unknown) => {
      underWay = undefined;
      throw error;
    });
    return underWay;
  };
}

export function createApplication(dissemination: Dissemination, executor: Executor, desk: PayloadDesk): Application {
  return {
    buildPayload: (request) => dissemination.buildPayload(request),
    checkPayload: (blockId, block, signal) => dissemination.checkPayload(blockId, block, signal),
    execute(blockId, block) {
      dissemination.trackBlock(blockId, block);
      desk.open(blockId, block);
      return executor.execute(blockId, block);
    },
    notarized: (blockId) => executor.notarized(blockId),
    finalized(blockId, block, certificate) {
      desk.open(blockId, block);
      executor.finalized(blockId, block, certificate);
    },
    certified: (certificate) => executor.certified(certificate),
    hasPending: () => dissemination.hasPending(),
  };
}

export function createArchive(
  ledger: LedgerReader,
  { chunkById }: Pick<Dissemination, 'chunkById'>,
  segmentOf: Executor['segment'],
  snapshots?: SnapshotArchive,
): Archive {
  return {
    ...(snapshots ? { snapshots } : {}),
    async blockById(id) {
      return (await ledger.block({ id }))?.block;
    },
    async finalizedRange(from, to, limit) {
      const { blocks, certificates } = await ledger.finalizedRange(from, Math.min(to, from + limit - 1));
      return { blocks, certificates };
    },
    async segment(id) {
      const found = await segmentOf(id);
      if (found === undefined) return undefined;
      const parts = [digestPreimageCodec.encode(found.preimage)];
      const { segment } = found;
      for (let at = 0; at < segment.length; at += CHUNK_BYTES_MAX)
        parts.push(segment.subarray(at, at + CHUNK_BYTES_MAX));
      return parts.length <= SYNC_CHUNKS_MAX ? parts : undefined;
    },
    chunkById,
  };
}
