import { expect, it } from 'vitest';
import { createRecentOutcomes } from '../../src/pool/recent-outcomes.ts';

const EXPIRY_MS = 50_000;
const HASH_KEY = new Uint8Array(8);

it('outcomes that may still change are remembered with their expiry, however many others expire', () => {
  const recent = createRecentOutcomes({ dropsMax: 3 }, HASH_KEY);
  recent.dropped('poor', { reason: 'fee-not-covered', expiryMs: EXPIRY_MS });
  for (let i = 0; i < 10; i++) recent.dropped(`late ${i}`, { reason: 'expired', expiryMs: 1_000 });
  expect(recent.dropOf('poor')).toEqual({ reason: 'fee-not-covered', expiryMs: EXPIRY_MS });
  expect(recent.dropOf('late 6')).toBeUndefined();
  expect(recent.dropOf('late 7')).toMatchObject({ reason: 'expired' });
});

it('above the bound the oldest is forgotten, and one that is dropped again is the newest', () => {
  const recent = createRecentOutcomes({ dropsMax: 2 }, HASH_KEY);
  for (const id of ['a', 'b', 'a', 'c']) recent.dropped(id, { reason: 'max-fee-too-low', expiryMs: EXPIRY_MS });
  expect(['a', 'b', 'c'].filter((id) => recent.dropOf(id))).toEqual(['a', 'c']);
});

it('a dropped one that a block executes is no drop any more, also when the block is forgotten', () => {
  const recent = createRecentOutcomes({ dropsMax: 2 }, HASH_KEY);
  recent.dropped('a', { reason: 'fee-not-covered', expiryMs: EXPIRY_MS });
  recent.included(['a'], 10_000);
  recent.included([], 1_000_000);
  expect(recent.isIncluded('a')).toBe(false);
  expect(recent.dropOf('a')).toBeUndefined();
});

it('as many as the bound are remembered, however many there were', () => {
  const recent = createRecentOutcomes({ dropsMax: 1_000 }, HASH_KEY);
  for (let i = 0; i < 5_007; i++) recent.dropped(`${i}`, { reason: 'expired', expiryMs: EXPIRY_MS });
  expect(['0', '4006', '4007', '5006'].map((id) => recent.dropOf(id) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

it('an oldest one that ended otherwise is stepped over, and the next oldest is forgotten', () => {
  const recent = createRecentOutcomes({ dropsMax: 3 }, HASH_KEY);
  const drop = (...ids: string[]) =>
    ids.forEach((id) => void recent.dropped(id, { reason: 'expired', expiryMs: EXPIRY_MS }));
  drop('a', 'b', 'c', 'd', 'e');
  recent.included(['c', 'd'], 10_000);
  drop('e', 'f', 'g', 'h', 'i');
  expect([...'abcdefghi'].filter((id) => recent.dropOf(id))).toEqual(['g', 'h', 'i']);
});
