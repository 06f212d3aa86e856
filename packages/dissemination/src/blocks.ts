import { KNOWN_AT_WINDOW } from '@slipstream/distilled';
import { assert } from '@slipstream/primitives';
import {
  type Block,
  type BlockId,
  type ChunkReference,
  hexOf,
  type SkipReason,
  type TransactionId,
} from '@slipstream/types';
import type { BatchJudge } from './batches/batch-judge.ts';
import type { RanBatch } from './batches/broker-standing.ts';
import type { StoredChunk } from './chunks/stored-chunk.ts';
import { unitsOfPayload } from './control/execution-rate.ts';
import { DisseminationError } from './errors.ts';
import type { DisseminationParts } from './parts.ts';
import { buildPayload, type PayloadRequest } from './proposals/payload-builder.ts';
import type { PayloadChunk } from './proposals/payload-check.ts';

export interface BlockOutcome {
  /** Lower-case hex, no prefix. */
  readonly executedIds: readonly string[];
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
  /** Distilled ones that ran; undefined: not known, of a block before the node started. */
  readonly batches?: readonly RanBatch[] | undefined;
  /** Undefined: not measured, or executed before the node started. */
  readonly executeMs?: number | undefined;
}

type TrackParts = Pick<DisseminationParts, 'references' | 'uncertifiedReferences'>;

export function trackBlock({ references, uncertifiedReferences }: TrackParts, blockId: BlockId, block: Block): void {
  if (references.trackBlock(blockId, block)) uncertifiedReferences.trackBlock(block);
}

export async function payloadOf(
  parts: TrackParts & Pick<DisseminationParts, 'payloads' | 'chunks' | 'judge'>,
  { blockId, block }: { readonly blockId: BlockId; readonly block: Block },
  signal: AbortSignal,
): Promise<readonly PayloadChunk[]> {
  trackBlock(parts, blockId, block);
  const stored = await parts.payloads.chunksOf(block, signal);
  return Promise.all(
    stored.map(async (chunk) => ({
      batches: await batchesFor(chunk, block, parts.judge, signal),
      epoch: chunk.header.epoch,
      producer: chunk.header.producer,
      bytes: chunk.bytes,
      ids: chunk.ids,
      verdicts: await parts.chunks.verdicts(chunk),
    })),
  );
}

/** Z7 skips a batch outside the window before its validity is asked for. */
function batchesFor(
  { batches }: StoredChunk,
  { height }: Block,
  judge: BatchJudge | undefined,
  signal: AbortSignal,
): Promise<PayloadChunk['batches']> {
  return Promise.all(
    batches.map(async (batch) => {
      assert(judge !== undefined, 'a chunk has batches on a chain with a directory only');
      const isInWindow = batch.knownAt < height && batch.knownAt >= height - KNOWN_AT_WINDOW;
      return { batchId: batch.batchId, isValid: isInWindow ? await judge.needed(batch, signal) : undefined };
    }),
  );
}

export async function buildOwnPayload(
  parts: DisseminationParts,
  request: PayloadRequest,
): Promise<readonly ChunkReference[]> {
  const { members, self } = parts.committees.current;
  if (self === undefined) {
    throw new DisseminationError('not-a-validator', 'a full node builds no payloads', {});
  }
  // A committee of one waits for no acks.
  if (members.length === 1) await parts.producer.packer.flush();
  return buildPayload(parts, { timelyUnits: parts.executionRate.timelyUnits, rowsMax: parts.rowsPerBlock }, request);
}

export function commitBlock(parts: DisseminationParts, blockId: BlockId, block: Block, outcome: BlockOutcome): void {
  const { blockInterval, executionRate, eviction, references, store } = parts;
  blockInterval.recordBlock(block.payload.length > 0);
  executionRate.executed(unitsOfPayload(store, block.payload), outcome.executeMs);
  eviction.committed(outcome.executedIds, outcome.skipped, block.timestampMs);
  trackBlock(parts, blockId, block);
  references.commitBlock(blockId, block);
  const batches = block.payload.flatMap(({ chunkId }) => store.get(hexOf(chunkId))?.batches ?? []);
  if (batches.length > 0) {
    const skippedIds = new Set(outcome.skipped.map(({ id }) => hexOf(id)));
    parts.batchPool.committed(batches, { timestampMs: block.timestampMs, skippedIds });
  }
  const ran = outcome.batches ?? [];
  parts.batchOffers.ran(ran);
  parts.batchForwarder.ran(ran);
  for (const { chunkId } of block.payload) store.commit(hexOf(chunkId));
  expire(parts, block.timestampMs);
}

/** Removes transactions and chunks that no block from this timestamp on may hold. */
export function expire(
  {
    eviction,
    store,
    references,
    committees,
    batchPool,
    batchOffers,
    batchForwarder,
  }: Pick<
    DisseminationParts,
    'eviction' | 'store' | 'references' | 'committees' | 'batchPool' | 'batchOffers' | 'batchForwarder'
  >,
  timestampMs: number,
): void {
  eviction.expire(timestampMs);
  batchPool.expire(timestampMs);
  batchOffers.expire(timestampMs);
  batchForwarder.expire(timestampMs);
  store.expire(timestampMs, references.isReferenced);
  committees.expire(timestampMs);
  store.forgetHeadersBefore(committees.oldest);
}
