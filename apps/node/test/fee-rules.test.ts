import { expect, it } from 'vitest';
import { feeRules } from '../src/executor/fee-rules.ts';

const ED25519 = { auth: { scheme: 'ed25519', signature: new Uint8Array(64) } } as never;

it('what is urgent follows the prices of the last block: twice what they may become', () => {
  let prices = [800n, 0n, 0n, 0n, 0n];
  const { feeOf, urgentMaxFee } = feeRules(() => prices, { minimumPrices: [1n, 0n, 0n, 0n, 0n] });
  const units = [10, 5, 5, 5, 5];
  expect(feeOf(units)).toBe(8_000n);
  // 800, 900, 1012, 1138, 1280, 1440, 1620
  expect(urgentMaxFee(ED25519, units)).toBe(2n * 16_200n);
  prices = [1n, 0n, 0n, 0n, 0n];
  expect(feeOf(units)).toBe(10n);
  expect(urgentMaxFee(ED25519, units)).toBe(2n * 70n);
});
