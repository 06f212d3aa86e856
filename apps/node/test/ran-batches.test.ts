/** Distilled batches of a committed block cross the threads with their numbers. */
import { encodeBatchRecord, outcomesRootOf, skipByte } from '@slipstream/distilled';
import { toHex } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { batchId, leaf } from '../../../packages/client/test/certified-rows.ts';
import { decodeRanBatches, encodeRanBatches } from '../src/executor/ran-batches.ts';

test('batches are read as they were written, with the rows that were charged and skipped', () => {
  const outcomes = new Uint8Array(leaf.header.rows);
  outcomes[9] = skipByte('index-retired');
  const record = encodeBatchRecord({ batchId, leaf: { ...leaf, outcomesRoot: outcomesRootOf(outcomes) }, outcomes });
  const expected = { id: toHex(batchId), rows: 100, charged: 99, skipped: 1 };
  expect(decodeRanBatches(encodeRanBatches([record, record]))).toEqual([expected, expected]);
  expect(decodeRanBatches(encodeRanBatches([]))).toEqual([]);
});
