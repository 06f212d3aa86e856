/** What is stored of a batch that ran, and served to a node that joins: it believes what a digest proves. */
import { merkleRoot } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  areRecordsOf,
  BATCH_LEAF_BYTES,
  type BatchRecord,
  batchesRootOf,
  batchIdOf,
  decodeBatchRecord,
  encodeBatchRecord,
  outcomesRootOf,
} from '../src/index.ts';
import { GENESIS, headerOf, OTHER_GENESIS, ringOf } from './world.ts';

/** Outcomes in two runs. */
function recordOf(rows: number, number: number): BatchRecord {
  const header = headerOf(ringOf(rows), { number });
  const outcomes = new Uint8Array(rows).fill(1, Math.floor(rows / 2));
  const leaf = { header, rowFee: 20n, stragglerFee: 0n, firstIndex: 0, outcomesRoot: outcomesRootOf(outcomes) };
  return { batchId: batchIdOf(GENESIS, header), leaf, outcomes };
}

const records = [recordOf(5, 1), recordOf(130, 2), recordOf(1, 3)];
const bytes = records.map(encodeBatchRecord);
const roots = { batchesRoot: batchesRootOf(records.map(({ leaf }) => leaf)), batches: 3 };

describe('records of batches', () => {
  it('are read as they were written, and prove themselves by the digest', () => {
    expect(bytes.map(decodeBatchRecord)).toEqual(records.map((value) => ({ ok: true, value })));
    expect(areRecordsOf(bytes, GENESIS, roots)).toBe(true);
    expect(areRecordsOf([], GENESIS, { batchesRoot: merkleRoot([]), batches: 0 })).toBe(true);
  });

  it('are those of no other block, chain, order or number', () => {
    const [first, second, third] = bytes as [Uint8Array, Uint8Array, Uint8Array];
    for (const other of [[first, second], [second, first, third], [...bytes, third], []]) {
      expect(areRecordsOf(other, GENESIS, roots)).toBe(false);
    }
    expect(areRecordsOf(bytes, OTHER_GENESIS, roots)).toBe(false);
    expect(areRecordsOf(bytes, GENESIS, { ...roots, batches: 4 })).toBe(false);
  });

  it('fail with any bit flipped: in the id that replay protection reads, in the leaf, in an outcome', () => {
    const own = { batchesRoot: batchesRootOf(records.slice(0, 1).map(({ leaf }) => leaf)), batches: 1 };
    const whole = bytes[0] as Uint8Array;
    expect(areRecordsOf([whole], GENESIS, own)).toBe(true);
    for (let bit = 0; bit < 8 * whole.length; bit++) {
      const changed = whole.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(areRecordsOf([changed], GENESIS, own)).toBe(false);
    }
  });

  it('are refused when cut short', () => {
    const whole = bytes[0] as Uint8Array;
    for (let length = 0; length < whole.length; length++)
      expect(decodeBatchRecord(whole.subarray(0, length)).ok).toBe(false);
    expect(decodeBatchRecord(whole.subarray(0, 31 + BATCH_LEAF_BYTES))).toEqual({ ok: false, error: 'cut-short' });
  });
});
