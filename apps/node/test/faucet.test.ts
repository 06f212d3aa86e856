import { ed25519Account, feeOf, forecastPrices, transactionCodec, unitsOf } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createFaucet } from '../src/backend/faucet.ts';
import { feeRules } from '../src/executor/fee-rules.ts';

const MINIMUM_PRICES = [1n, 1n, 1n, 1n, 1n];

it.each([[[1n, 1n, 1n, 1n, 1n]], [[800n, 7n, 3n, 90n, 1n]]])(
  'the fee at prices %s covers the price rise of a transaction’s life, so that its node packs it',
  async (prices) => {
    const faucet = createFaucet(
      {
        clock: { wallMs: () => 1_800_000_000_000, monotonicMs: () => 0, after: () => () => {} },
        random: { bytes: (length: number) => new Uint8Array(length) },
        fees: async () => ({ prices, minimumPrices: MINIMUM_PRICES }),
      } as unknown as Parameters<typeof createFaucet>[0],
      { genesisHash: new Uint8Array(32) as never, secret: new Uint8Array(32).fill(1) },
    );
    const bytes = await faucet(ed25519Account(new Uint8Array(32).fill(2)), 5n);
    const transaction = transactionCodec.decode(bytes);
    if (!transaction.ok) throw new Error('the faucet makes a transaction');
    const units = unitsOf(transaction.value, bytes.length);
    const { maxFee } = transaction.value.body;
    expect(maxFee).toBe(feeOf(units, forecastPrices(prices, MINIMUM_PRICES)));
    expect(maxFee).toBeGreaterThanOrEqual(
      feeRules(
        () => prices,
        () => MINIMUM_PRICES,
      ).feeOf(units),
    );
  },
);
