/**
 * Distilled batches of a committed block, for other threads: what waiting clients and the event stream need.
 *
 *   batchId (32) | rows u32 | charged u32 | skipped u32                 little-endian, one after another
 */
import { decodeBatchRecord, SKIPPED_MIN } from '@slipstream/distilled';
import { assert, toHex } from '@slipstream/primitives';

export interface RanBatch {
  /** Lower-case hex. */
  readonly id: string;
  readonly rows: number;
  readonly charged: number;
  readonly skipped: number;
}

const ID_BYTES = 32;
const ENTRY_BYTES = ID_BYTES + 12;

/** `records`: of the ledger. */
export function encodeRanBatches(records: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES * records.length);
  const view = new DataView(bytes.buffer);
  for (const [i, record] of records.entries()) {
    const decoded = decodeBatchRecord(record);
    assert(decoded.ok, 'a block that ran has records of its batches');
    const { batchId, outcomes } = decoded.value;
    const at = ENTRY_BYTES * i;
    const skipped = outcomes.reduce((sum, outcome) => sum + (outcome >= SKIPPED_MIN ? 1 : 0), 0);
    bytes.set(batchId, at);
    view.setUint32(at + ID_BYTES, outcomes.length, true);
    view.setUint32(at + ID_BYTES + 4, outcomes.length - skipped, true);
    view.setUint32(at + ID_BYTES + 8, skipped, true);
  }
  return bytes;
}

export function decodeRanBatches(bytes: Uint8Array): readonly RanBatch[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, i) => {
    const at = ENTRY_BYTES * i;
    return {
      id: toHex(bytes.subarray(at, at + ID_BYTES)),
      rows: view.getUint32(at + ID_BYTES, true),
      charged: view.getUint32(at + ID_BYTES + 4, true),
      skipped: view.getUint32(at + ID_BYTES + 8, true),
    };
  });
}

/** Without a thread between. */
export function ranBatchesOf(records: readonly Uint8Array[]): readonly RanBatch[] {
  return decodeRanBatches(encodeRanBatches(records));
}
