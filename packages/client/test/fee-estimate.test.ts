import { type Fees, unitsToJson } from '@slipstream/schema';
import {
  type Action,
  decodeTransaction,
  type FeeParameters,
  forecastPrices,
  type Units,
  unitsOf,
  unitsOfCallsTo,
  urgentMaxFee,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { FREE_FEES, feesAfterBlock, METERED_FEES } from '../../execution/src/index.ts';
import { account, chain, GENESIS_HASH, genesis, NOW_MS, setData, transfer } from '../../execution/test/builders.ts';
import { credentialOf, person, sessionOf, testChain } from '../../execution/test/session-world.ts';
import {
  buildTransaction,
  type Client,
  estimateFee,
  keyPairFrom,
  openSession,
  signForPrices,
  signTransaction,
  signWithSession,
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

/** After so many windows of full blocks. */
function raised(windows: number, full: Units): readonly bigint[] {
  const rules = { ...METERED_FEES, windowBlocks: 1 };
  let state = { prices: METERED_FEES.initialPrices, used: [0n, 0n, 0n, 0n, 0n] as readonly bigint[] };
  for (let height = 1; height <= windows; height++) state = { ...feesAfterBlock(state, full, height, rules) };
  return state.prices;
}

describe('estimateFee', () => {
  it.each(Object.entries(ACTIONS))('of %s is the exact fee of the chain: one less is too low', (_, actions) => {
    const { fee } = estimateFee(sign(actions, 0n), feesOf(METERED_FEES));
    expect(execute(sign(actions, fee).bytes).skipped).toEqual([]);
    expect(execute(sign(actions, fee).bytes).receipts[0]?.fee).toBeLessThanOrEqual(fee);
    expect(execute(sign(actions, fee - 1n).bytes).skipped).toMatchObject([{ reason: 'max-fee-too-low' }]);
  });

  it('allows for prices that rise in each of the requested windows, and no further', () => {
    const { maxFee } = estimateFee(sign(ACTIONS.transfer as readonly Action[], 0n), feesOf(METERED_FEES), {
      windows: 4,
    });
    const { bytes } = sign(ACTIONS.transfer as readonly Action[], maxFee);
    expect(execute(bytes, raised(4, METERED_FEES.limits)).skipped).toEqual([]);
    expect(execute(bytes, raised(5, METERED_FEES.limits)).skipped).toMatchObject([{ reason: 'max-fee-too-low' }]);
  });

  it.each(Object.entries(ACTIONS))('of %s is urgent for a node only when urgency was requested', (_, actions) => {
    const draft = sign(actions, 0n);
    const { minimumPrices } = METERED_FEES;
    const asksFor = (prices: readonly bigint[]) =>
      urgentMaxFee(
        draft.transaction,
        unitsOf(draft.transaction, draft.bytes.length),
        forecastPrices(prices, minimumPrices),
      );
    for (const times of [0n, 1n, 3n, 8n, 100n, 10_000n]) {
      const prices = METERED_FEES.initialPrices.map((price) => (times === 0n ? 1n : price * times));
      const fees = feesOf(METERED_FEES, prices);
      expect(estimateFee(draft, fees).maxFee).toBeLessThan(asksFor(prices));
      const { fee, maxFee } = estimateFee(draft, fees, { urgent: true });
      expect(fee).toBe(estimateFee(draft, fees).fee);
      // Also when prices have risen since.
      expect(maxFee).toBeGreaterThanOrEqual(asksFor(forecastPrices(prices, minimumPrices, 2)));
    }
  });

  it('of a session names the credential that may have to be sent: that does not make the grant’s id more urgent', async () => {
    const alice = person('alice');
    const identity = testChain('identity', { balances: [alice.account] });
    const made = sessionOf(identity, testChain('target', { trusted: [identity.rootKey] }), alice);
    const session = openSession(keyPairFrom(made.key.secret), await credentialOf(identity, made, alice));
    const parts = { actions: [setData('name', 'v')], expiryMs: NOW_MS, salt: new Uint8Array(8) };
    const [whole, short] = [signWithSession(parts, session), signWithSession(parts, session, 'hash')];
    const units = unitsOf(short.transaction, short.bytes.length);
    for (const dear of [0, 1, 2, 3, 4, undefined]) {
      const prices = METERED_FEES.initialPrices.map((price, i) =>
        i === dear ? 10_000n : dear === undefined ? price : 1n,
      );
      const asked = urgentMaxFee(short.transaction, units, forecastPrices(prices, METERED_FEES.minimumPrices));
      expect(estimateFee(whole, feesOf(METERED_FEES, prices)).maxFee).toBeLessThan(asked);
      expect(estimateFee(whole, feesOf(METERED_FEES, prices), { urgent: true }).maxFee).toBeGreaterThan(asked);
    }
  });

  it('of a call has the units that its application declares', () => {
    const call: Action = { kind: 'call', application: 'token', action: 3, input: new Uint8Array(1_025) };
    const draft = sign([call], 0n);
    const each = { compute: 10, reads: 2, writes: 1, bytes: 100 };
    const actions = [{ number: 3, units: { fixed: each, perInputKiB: { ...each, writes: 0 } } }];
    const unitsOfCall = unitsOfCallsTo([{ name: 'token', actions }]);
    const { units } = estimateFee(draft, feesOf(METERED_FEES), { unitsOfCall });
    expect(units).toEqual([draft.bytes.length, 50 + 5 + 2 * 30 + 6, 1 + 6 + 1, 68 + 300, 2 + 2 + 5]);
    expect(estimateFee(draft, feesOf(METERED_FEES)).units[1]).toBe(55);
  });

  it('is zero where execution is free, and never above the maximum of a transaction', () => {
    const draft = sign(ACTIONS.transfer as readonly Action[], 0n);
    expect(estimateFee(draft, feesOf(FREE_FEES))).toMatchObject({ fee: 0n, maxFee: 0n });
    expect(estimateFee(draft, feesOf(FREE_FEES), { urgent: true }).maxFee).toBe(0n);
    const dear = feesOf(
      METERED_FEES,
      [1, 2, 3, 4, 5].map(() => 2n ** 64n - 1n),
    );
    expect(estimateFee(draft, dear).maxFee).toBe(2n ** 64n - 1n);
  });
});

describe('the fee answer of a node', () => {
  it('is an error when it has no prices', () => {
    const malformedFees = [
      {},
      { prices: {} },
      { ...feesOf(METERED_FEES), prices: { ...unitsToJson([]), write: 'dear' } },
    ];
    for (const fees of malformedFees) {
      const estimating = () => estimateFee(sign([transfer(2, 1n)], 0n), fees as unknown as Fees);
      expect(estimating).toThrow(expect.objectContaining({ code: 'malformed-answer' }));
    }
  });
});

describe('signForPrices', () => {
  const client = (fees: Fees) => ({ fees: async () => fees }) as unknown as Client;

  it('signs a fee that the chain accepts at the prices of the node', async () => {
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
