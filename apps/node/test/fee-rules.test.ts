import type { EpochRecord } from '@slipstream/types';
import { expect, it } from 'vitest';
import { feeRules, highestMinimums } from '../src/executor/fee-rules.ts';

const ED25519 = { auth: { scheme: 'ed25519', signature: new Uint8Array(64) } } as never;
const MINIMUM = () => [1n, 0n, 0n, 0n, 0n];
const UNITS = [10, 5, 5, 5, 5];

it('a fee covers the end of a chunk’s life: three windows of rising prices', () => {
  let prices = [800n, 0n, 0n, 0n, 0n];
  const { feeOf } = feeRules(() => prices, MINIMUM);
  // 800, 900, 1012, 1138
  expect(feeOf(UNITS)).toBe(11_380n);
  prices = [1n, 0n, 0n, 0n, 0n];
  expect(feeOf(UNITS)).toBe(40n);
});

it('a fee is zero where execution is free', () => {
  const free = [0n, 0n, 0n, 0n, 0n];
  const { feeOf, haveFeesRisen } = feeRules(
    () => free,
    () => free,
  );
  expect([feeOf(UNITS), haveFeesRisen()]).toEqual([0n, false]);
});

it('the urgent threshold follows the prices of the last block: twice their highest next values', () => {
  let prices = [800n, 0n, 0n, 0n, 0n];
  const { urgentMaxFee } = feeRules(() => prices, MINIMUM);
  // 800, 900, 1012, 1138, 1280, 1440, 1620
  expect(urgentMaxFee(ED25519, UNITS)).toBe(2n * 16_200n);
  prices = [1n, 0n, 0n, 0n, 0n];
  expect(urgentMaxFee(ED25519, UNITS)).toBe(2n * 70n);
});

it('a rise of any price is reported once, and a fall never', () => {
  let prices = [800n, 7n, 0n, 0n, 0n];
  const { haveFeesRisen } = feeRules(() => prices, MINIMUM);
  expect(haveFeesRisen()).toBe(false);
  prices = [700n, 8n, 0n, 0n, 0n];
  expect([haveFeesRisen(), haveFeesRisen()]).toEqual([true, false]);
  prices = [700n, 7n, 0n, 0n, 0n];
  expect(haveFeesRisen()).toBe(false);
});

it('minimum prices are the higher ones of the epoch and of the sealed next one', () => {
  const record = (epoch: number, ...minimumPrices: readonly bigint[]) =>
    ({ epoch, parameters: { fees: { minimumPrices } } }) as unknown as EpochRecord;
  const current = record(4, 1n, 7n);
  expect(highestMinimums([record(3, 9n, 9n), current], current)).toEqual([1n, 7n]);
  expect(highestMinimums([current, record(5, 80n, 0n)], current)).toEqual([80n, 7n]);
});

it('a fee covers a price that is zero until the next epoch raises its minimum', () => {
  let minimum = [0n, 0n, 0n, 0n, 0n];
  let prices = [0n, 0n, 0n, 0n, 0n];
  const { feeOf } = feeRules(
    () => prices,
    () => minimum,
  );
  expect(feeOf(UNITS)).toBe(0n);
  minimum = [80n, 0n, 0n, 0n, 0n];
  prices = [...prices]; // of the next block
  expect(feeOf(UNITS)).toBeGreaterThanOrEqual(800n);
});
