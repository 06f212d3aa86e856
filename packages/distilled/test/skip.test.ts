/** Batches without effect: the same reason on every node, in a fixed order. */
import { describe, expect, it } from 'vitest';
import { type BatchHeader, type BatchSkipContext, batchSkipReason } from '../src/index.ts';
import { headerOf, NOW_MS, ringOf } from './world.ts';

const HEADER = headerOf(ringOf(2), { knownAt: 1_500, expiryMs: NOW_MS + 10_000, feeCap: 20n });
const CONTEXT: BatchSkipContext = {
  height: 1_600,
  timestampMs: NOW_MS,
  rowFee: 20n,
  isValid: () => true,
  ran: () => false,
};

const reasonOf = (header: Partial<BatchHeader>, context: Partial<BatchSkipContext> = {}) =>
  batchSkipReason({ ...HEADER, ...header }, { ...CONTEXT, ...context });

describe('a batch is skipped', () => {
  it('for none of the reasons below', () => expect(reasonOf({})).toBeUndefined());

  it.each([
    ['known-at-bounds', { knownAt: 1_600 }, {}],
    ['known-at-bounds', { knownAt: 575 }, {}],
    [undefined, { knownAt: 576 }, {}],
    [undefined, { knownAt: 1_599 }, {}],
    ['bad-signature', {}, { isValid: () => false }],
    ['expired', { expiryMs: NOW_MS }, {}],
    ['expiry-too-far', { expiryMs: NOW_MS + 60_001 }, {}],
    ['duplicate', {}, { ran: () => true }],
    ['max-fee-too-low', {}, { rowFee: 21n }],
  ])('as %s: %j', (reason, header, context) => expect(reasonOf(header, context)).toBe(reason));

  it('outside the window of knownAt without a check of its signatures', () => {
    const isValid = () => {
      throw new Error('the directory at that height is not known');
    };
    expect(reasonOf({ knownAt: 0 }, { isValid })).toBe('known-at-bounds');
  });
});
