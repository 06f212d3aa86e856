/** A committed block for the main thread: columns of bytes, no object per transaction. */
import type { CommittedBlock } from '@slipstream/pipeline';
import { concatBytes } from '@slipstream/primitives';
import {
  asId,
  type Block,
  type BlockId,
  blockCodec,
  ID_BYTES,
  SKIP_REASONS,
  type SkipReason,
  type TransactionId,
} from '@slipstream/types';
import { decodeOwn } from '../threads/decode-own.ts';
import { encodeRanBatches } from './ran-batches.ts';

export interface CommittedSummary {
  readonly blockId: BlockId;
  readonly block: Block;
  /** Lower-case hex, in the order of the receipts. */
  readonly executedIds: readonly string[];
  isFailed(place: number): boolean;
  readonly skipped: readonly { readonly id: TransactionId; readonly reason: SkipReason }[];
  /** Distilled ones, as ran-batches.ts packs them. */
  readonly batches: Uint8Array;
  readonly executeMs: number;
  /** Wall clock. */
  readonly committedMs: number;
  /** Whether it wrote a validator or a proposal. */
  readonly governanceChanged: boolean;
  /** Encoded; undefined before the first block. */
  readonly fees: Uint8Array | undefined;
}

const REASONS = new Map(Object.entries(SKIP_REASONS).map(([name, code]) => [code as number, name as SkipReason]));

type Encoded = Pick<
  CommittedBlock,
  'blockId' | 'block' | 'receipts' | 'batches' | 'skipped' | 'governanceChanged' | 'executeMs' | 'times'
>;

export function encodeCommitted(
  { blockId, block, receipts, batches, skipped, governanceChanged, executeMs, times }: Encoded,
  fees: Uint8Array | undefined,
): readonly Uint8Array[] {
  return [
    blockId,
    blockCodec.encode(block),
    concatBytes(...receipts.map(({ transactionId }) => transactionId)),
    Uint8Array.from(receipts, ({ outcome }) => (outcome.status === 'failed' ? 1 : 0)),
    concatBytes(...skipped.map(({ id }) => id)),
    Uint8Array.from(skipped, ({ reason }) => SKIP_REASONS[reason]),
    new Uint8Array(Float64Array.of(executeMs, times.committedMs ?? Number.NaN).buffer),
    Uint8Array.of(governanceChanged ? 1 : 0),
    encodeRanBatches(batches),
    ...(fees ? [fees] : []),
  ];
}

/** Copies long-lived values: a view would retain the whole message. */
export function decodeCommitted(bytes: readonly Uint8Array[]): CommittedSummary {
  const [blockId, block, ids, outcomes, skippedIds, reasons, took, flags, batches, fees] = bytes as [
    ...[Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array],
    Uint8Array | undefined,
  ];
  const [executeMs, committedMs] = new Float64Array(took.slice().buffer) as unknown as [number, number];
  return {
    blockId: asId<BlockId>(blockId.slice()),
    block: decodeOwn(blockCodec.decode(block.slice())),
    executedIds: hexOfEach(ids),
    isFailed: (place) => outcomes[place] === 1,
    skipped: Array.from(reasons, (code, i) => ({
      id: asId<TransactionId>(idAt(skippedIds, i).slice()),
      reason: REASONS.get(code) as SkipReason,
    })),
    batches: batches.slice(),
    executeMs,
    committedMs,
    governanceChanged: flags[0] === 1,
    fees: fees?.slice(),
  };
}

function hexOfEach(ids: Uint8Array): readonly string[] {
  const all = Buffer.from(ids.buffer, ids.byteOffset, ids.length);
  const texts: string[] = [];
  for (let at = 0; at < all.length; at += ID_BYTES) texts.push(all.toString('hex', at, at + ID_BYTES));
  return texts;
}

function idAt(ids: Uint8Array, i: number): Uint8Array {
  return ids.subarray(i * ID_BYTES, (i + 1) * ID_BYTES);
}
