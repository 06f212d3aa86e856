/**
 * What a node stores of a batch that ran: what proves its rows besides the rows themselves, which are in a chunk.
 *
 *   batchId (32) | leaf | outcomes in runs
 */
import { bytesEqual, concatBytes, fail, ok, type Result } from '@slipstream/primitives';
import { type GenesisHash, merkleRoot } from '@slipstream/types';
import { BATCH_LEAF_BYTES, type BatchLeaf, batchLeafCodec } from './batch-leaf.ts';
import { batchIdOf } from './header.ts';
import { decodeOutcomes, encodeOutcomes, outcomesRootOf } from './outcomes.ts';

const BATCH_ID_BYTES = 32;
const HEAD_BYTES = BATCH_ID_BYTES + BATCH_LEAF_BYTES;

export interface BatchRecord {
  readonly batchId: Uint8Array;
  readonly leaf: BatchLeaf;
  /** One byte a row. */
  readonly outcomes: Uint8Array;
}

export function encodeBatchRecord({ batchId, leaf, outcomes }: BatchRecord): Uint8Array {
  return concatBytes(batchId, batchLeafCodec.encode(leaf), encodeOutcomes(outcomes));
}

type BatchRecordFault = 'cut-short' | 'bad-leaf' | 'bad-outcomes';

/** Copies. */
export function decodeBatchRecord(bytes: Uint8Array): Result<BatchRecord, BatchRecordFault> {
  const leaf = leafOfRecord(bytes);
  if (!leaf.ok) return leaf;
  const outcomes = decodeOutcomes(bytes.subarray(HEAD_BYTES), leaf.value.header.rows);
  if (!outcomes.ok) return fail('bad-outcomes');
  return ok({ batchId: bytes.slice(0, BATCH_ID_BYTES), leaf: leaf.value, outcomes: outcomes.value });
}

/** Only its leaf: outcomes are many. */
export function leafOfRecord(bytes: Uint8Array): Result<BatchLeaf, BatchRecordFault> {
  if (bytes.length < HEAD_BYTES) return fail('cut-short');
  const leaf = batchLeafCodec.decode(bytes.subarray(BATCH_ID_BYTES, HEAD_BYTES));
  return leaf.ok ? leaf : fail('bad-leaf');
}

/** Whether these are the records of a block whose digest has this root and number, with the ids and outcomes of their leaves. */
export function areRecordsOf(
  records: readonly Uint8Array[],
  genesisHash: GenesisHash,
  { batchesRoot, batches }: { readonly batchesRoot: Uint8Array; readonly batches: number },
): boolean {
  if (records.length !== batches) return false;
  for (const bytes of records) {
    const decoded = decodeBatchRecord(bytes);
    if (!decoded.ok) return false;
    const { batchId, leaf, outcomes } = decoded.value;
    if (!bytesEqual(batchId, batchIdOf(genesisHash, leaf.header))) return false;
    if (!bytesEqual(leaf.outcomesRoot, outcomesRootOf(outcomes))) return false;
  }
  return bytesEqual(merkleRoot(records.map((bytes) => bytes.subarray(BATCH_ID_BYTES, HEAD_BYTES))), batchesRoot);
}
