import type { Client, SignedTransaction } from '@slipstream/client';
import { METERED_FEES } from '@slipstream/execution';
import { unitsToJson } from '@slipstream/schema';
import { expect, it } from 'vitest';
import { signWithin } from '../../src/cli/max-fee.ts';

const DRAFT = { transaction: undefined, bytes: new Uint8Array(200) } as unknown as SignedTransaction;
const feesAnswer = {
  prices: unitsToJson(METERED_FEES.initialPrices),
  minimumPrices: unitsToJson(METERED_FEES.minimumPrices),
};
const client = { fees: async () => feesAnswer } as unknown as Client;

async function maxFeeFor(options: { readonly 'max-fee'?: bigint; readonly urgent: boolean }): Promise<bigint> {
  let signed = 0n;
  await signWithin({ 'max-fee': options['max-fee'], urgent: options.urgent }, client, (maxFee) => {
    signed = maxFee;
    return DRAFT;
  });
  return signed;
}

it('a command allows a triple fee for urgent transactions, and never more than its maximum', async () => {
  const usual = await maxFeeFor({ urgent: false });
  expect(usual).toBeGreaterThan(0n);
  expect(await maxFeeFor({ urgent: true })).toBe(3n * usual);
  expect(await maxFeeFor({ 'max-fee': 7n, urgent: true })).toBe(7n);
});
