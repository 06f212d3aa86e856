import { type Fees, unitsToJson } from '@slipstream/schema';
import { type Action, decodeTransaction, type FeeParameters, type Units } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { FREE_FEES, feesAfterBlock, METERED_FEES } from '../../execution/src/index.ts';
import { account, chain, GENESIS_HASH, genesis, NOW_MS, setData, transfer } from '../../execution/test/builders.ts';
import {
  buildTransaction,
  type Client,
  estimateFee,
  keyPairFrom,
  signForPrices,
  signTransaction,
} from '../src/index.ts';

const RICH = 1_000_000_000n;
const alice = keyPairFrom(new Uint8Array(32).fill(9));
const ACTIONS: Readonly<Record<string, readonly Action[]>> = {
  transfer: [transfer(2, 1n)],
  transferMany: [{ kind: 'transferMany', outputs: [2, 3, 4].map((to) => ({ to: account(to), amount: 1n })) }],
  setData: [setData('name', 'v'.repeat(300))],
  addDevice: [{ kind: 'addDevice', anchor: alice.account, device: account(5) }],
  'several at once': [transfer(2, 1n), setData('a', ''), transfer(3, 2n)],
};

function sign(actions: readonly Action[], maxFee: bigint) {
  const parts = { genesisHash: GENESIS_HASH, sender: alice.account, actions, expiryMs: NOW_MS + 30_000 };
  return signTransaction(buildTransaction({ ...parts, maxFee }), alice);
}

function feesOf({ initialPrices, minimumPrices }: FeeParameters, prices = initialPrices): Fees {
  return { prices: unitsToJson(prices), minimumPrices: unitsToJson(minimumPrices) } as Fees;
}

function execute(bytes: Uint8Array, prices = METERED_FEES.initialPrices) {
  const start = genesis({ 1: RICH }, { ...METERED_FEES, initialPrices: prices });
  const funded = { ...start, allocations: [{ account: alice.account, balance: RICH }] };
  return chain(funded).execute([{ ...decodeTransaction(bytes), signatureValid: true }]);
}

/** Prices after so many windows of full blocks. */
function raised(windows: number, full: Units): readonly bigint[] {
  const rules = { ...METERED_FEES, windowBlocks: 1 };
  let state = { prices: METERED_FEES.initialPrices, used: [0n, 0n, 0n, 0n, 0n] as readonly bigint[] };
  for (let height = 1; height <= windows; height++) state = { ...feesAfterBlock(state, full, height, rules) };
  return state.prices;
}

describe('estimateFee', () => {
  it.each(Object.entries(ACTIONS))('of %s is what a chain asks for: one less is too low', (_, actions) => {
    const { fee } = estimateFee(sign(actions, 0n), feesOf(METERED_FEES));
    expect(execute(sign(actions, fee).bytes).skipped).toEqual([]);
    expect(execute(sign(actions, fee).bytes).receipts[0]?.fee).toBeLessThanOrEqual(fee);
    expect(execute(sign(actions, fee - 1n).bytes).skipped).toMatchObject([{ reason: 'max-fee-too-low' }]);
  });

  it('allows for prices that rise at each of as many windows as were asked for, and for no more', () => {
    const { maxFee } = estimateFee(sign(ACTIONS.transfer as readonly Action[], 0n), feesOf(METERED_FEES), 4);
    const { bytes } = sign(ACTIONS.transfer as readonly Action[], maxFee);
    expect(execute(bytes, raised(4, METERED_FEES.limits)).skipped).toEqual([]);
    expect(execute(bytes, raised(5, METERED_FEES.limits)).skipped).toMatchObject([{ reason: 'max-fee-too-low' }]);
  });

  it('is nothing where execution is free, and never above what a transaction can say', () => {
    const draft = sign(ACTIONS.transfer as readonly Action[], 0n);
    expect(estimateFee(draft, feesOf(FREE_FEES))).toMatchObject({ fee: 0n, maxFee: 0n });
    const dear = feesOf(
      METERED_FEES,
      [1, 2, 3, 4, 5].map(() => 2n ** 64n - 1n),
    );
    expect(estimateFee(draft, dear).maxFee).toBe(2n ** 64n - 1n);
  });
});

describe('what a node tells of fees', () => {
  it('is an error when it names no prices', () => {
    const told = [{}, { prices: {} }, { ...feesOf(METERED_FEES), prices: { ...unitsToJson([]), write: 'dear' } }];
    for (const fees of told) {
      const estimating = () => estimateFee(sign([transfer(2, 1n)], 0n), fees as unknown as Fees);
      expect(estimating).toThrow(expect.objectContaining({ code: 'malformed-answer' }));
    }
  });
});

describe('signForPrices', () => {
  const client = (fees: Fees) => ({ fees: async () => fees }) as unknown as Client;

  it('signs what the chain takes in at the prices that the node tells', async () => {
    const signed = await signForPrices(client(feesOf(METERED_FEES)), (maxFee) => sign([transfer(2, 1n)], maxFee));
    expect(execute(signed.bytes).skipped).toEqual([]);
  });

  it('signs once where execution is free', async () => {
    const asked: bigint[] = [];
    await signForPrices(client(feesOf(FREE_FEES)), (maxFee) => {
      asked.push(maxFee);
      return sign([transfer(2, 1n)], maxFee);
    });
    expect(asked).toEqual([0n]);
  });
});
