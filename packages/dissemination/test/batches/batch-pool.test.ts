import { GENESIS_EPOCH, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createBatchPool } from '../../src/batches/batch-pool.ts';
import { openBatch, type StoredBatch } from '../../src/batches/stored-batch.ts';
import { DISSEMINATION_LIMITS } from '../../src/limits.ts';
import { batchBytes } from '../harness/batches.ts';
import { GENESIS_HASH } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';

it('remembers a batch of a block no longer than one may run, however far off its expiry is', () => {
  const pool = createBatchPool({ monotonicMs: () => 0, epoch: () => GENESIS_EPOCH }, DISSEMINATION_LIMITS);
  const opened = openBatch(batchBytes({ header: { expiryMs: Number.MAX_SAFE_INTEGER } }), GENESIS_HASH);
  const batch = (opened.ok ? opened.value : undefined) as StoredBatch;
  pool.committed([batch], { timestampMs: START_MS, skippedIds: new Set() });
  pool.expire(START_MS + TRANSACTION_LIFE_MS_MAX - 1);
  expect(pool.placeOf(batch)).toBe('chain');
  pool.expire(START_MS + TRANSACTION_LIFE_MS_MAX);
  expect(pool.placeOf(batch)).toBeUndefined();
});
