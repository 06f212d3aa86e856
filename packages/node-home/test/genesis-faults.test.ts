/** With each of these a chain stood still, or could not be used. */
import { feesAfterBlock, initialFees, METERED_FEES } from '@slipstream/execution';
import { checkParameters } from '@slipstream/state';
import { type FeeParameters, genesisFromJson, genesisToJson, NO_UNITS } from '@slipstream/types';
import { expect, test } from 'vitest';
import { testChain } from '../../execution/test/session-world.ts';
import { genesisFaults } from '../src/folder/genesis-faults.ts';

const SUPPLY = {
  development: false,
  allocations: [],
  generated: { seed: new Uint8Array(32), count: 10, balance: 1_000_000n },
};

function faultsOf(fees: Partial<FeeParameters>, supply = SUPPLY): string {
  return genesisFaults({ ...supply, fees: { ...METERED_FEES, ...fees } }).join('\n');
}

const changed = <T>(values: readonly T[], at: number, value: T): readonly T[] =>
  values.map((each, i) => (i === at ? value : each));

test('the terms that init writes are valid', () => {
  expect(faultsOf({})).toBe('');
});

test('a limit below the units of a plain transfer is a fault', () => {
  expect(faultsOf({ limits: changed(METERED_FEES.limits, 1, 40) })).toBe(
    'fees.limits[1]: is 40, a plain transfer takes 51 (compute): no block could hold one',
  );
});

test('a limit below the units of a proposal or an approval is a fault: governance could never raise it', () => {
  expect(faultsOf({ limits: changed(METERED_FEES.limits, 1, 1000) })).toBe(
    'fees.limits[1]: is 1000, an approval takes 1050 (compute): no block could hold one',
  );
  expect(faultsOf({ limits: changed(METERED_FEES.limits, 4, 500) })).toBe(
    'fees.limits[4]: is 500, an approval takes 1002 (write): no block could hold one',
  );
  // A proposal of another version would fit.
  expect(faultsOf({ limits: changed(METERED_FEES.limits, 0, 300) })).toContain('a proposal of parameters takes');
});

test('a target of zero with a price is a fault: the price would only rise', () => {
  const fees: FeeParameters = { ...METERED_FEES, targets: changed(METERED_FEES.targets, 0, 0), windowBlocks: 1 };
  expect(faultsOf(fees)).toContain('fees.targets[0]: is 0: the price of bandwidth could only rise');
  let state = initialFees(fees);
  for (let height = 1; height <= 100; height++) state = feesAfterBlock(state, [200, 0, 0, 0, 0], height, fees);
  const raised = state.prices[0] as bigint;
  expect(raised).toBeGreaterThan(100_000n);
  for (let height = 101; height <= 200; height++) state = feesAfterBlock(state, NO_UNITS, height, fees);
  expect(state.prices[0]).toBe(raised);
});

test('a target of zero without a price is valid', () => {
  const [initialPrices, minimumPrices] = [METERED_FEES.initialPrices, METERED_FEES.minimumPrices].map((prices) =>
    changed(prices, 0, 0n),
  ) as [readonly bigint[], readonly bigint[]];
  expect(faultsOf({ initialPrices, minimumPrices, targets: changed(METERED_FEES.targets, 0, 0) })).toBe('');
});

test('minimum prices above the sum of all accounts are a fault', () => {
  const minimumPrices = changed(METERED_FEES.minimumPrices, 4, 2n ** 64n - 1n);
  expect(faultsOf({ minimumPrices })).toContain(
    'all accounts together own 10000000, so that no account could ever pay',
  );
});

test('more than 64 bits of money is a fault, generated accounts included', () => {
  const supply = { ...SUPPLY, generated: { ...SUPPLY.generated, count: 2, balance: 2n ** 63n } };
  expect(faultsOf({}, supply)).toContain('allocations: with the generated accounts they own 18446744073709551616');
});

test('a batch that may move over a quarter of the largest segment is a fault, in file and store', () => {
  const { genesis } = testChain('moves');
  const stateOf = (moveBytesMax: number) => ({ ...genesis.state, moveBytesMax });
  const parsed = (moveBytesMax: number) => genesisFromJson(genesisToJson({ ...genesis, state: stateOf(moveBytesMax) }));
  expect(parsed(2 ** 28).ok).toBe(true);
  expect(parsed(2 ** 28 + 1)).toMatchObject({ ok: false, error: [expect.stringContaining('state.moveBytesMax')] });
  expect(checkParameters(stateOf(2 ** 28)).moveBytesMax).toBe(2 ** 28);
  expect(() => checkParameters(stateOf(2 ** 28 + 1))).toThrow('moveBytesMax');
});

test('an application without a hash is a fault, but on a development chain', () => {
  const applications = [{ name: 'token', hash: new Uint8Array(32), input: new Uint8Array(0) }];
  const of = (development: boolean) => genesisFaults({ ...SUPPLY, fees: METERED_FEES, applications, development });
  expect(of(true)).toEqual([]);
  expect(of(false)).toEqual([
    'applications: token has no hash, which development chains alone may leave open: name its artifact',
  ]);
});
