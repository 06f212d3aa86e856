import type { Transaction, Units } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { accountOf, createTestNetwork, idOf, type TestNetwork, transaction, unitsOf } from '../harness/network.ts';
import { START_MS } from '../harness/start-time.ts';
import { build, certify, idsOf, submit } from '../harness/steps.ts';

const FEE = 10n;
const URGENT = 40n;
const rules = {
  unitsOf,
  feeOf: (_: Units): bigint => FEE,
  urgentMaxFee: (_: Transaction, __: Units) => URGENT,
};

/** From accounts of member 0. */
function some(count: number, maxFee: bigint, from = accountOf(0)): readonly Uint8Array[] {
  return Array.from({ length: count }, () => transaction({ maxFee, from }));
}

/** Member 0's next block as letters: `u` urgent, `o` others. */
async function places(network: TestNetwork, urgent: readonly Uint8Array[]): Promise<string> {
  await certify(network);
  const ids = await idsOf(network.node(0), await build(network, network.node(0)));
  const urgentIds = new Set(urgent.map(idOf));
  return ids.map((id) => (urgentIds.has(id) ? 'u' : 'o')).join('');
}

describe('a transaction', () => {
  it('is urgent from the maxFee that its prices require, and then gets three of four places', async () => {
    const network = createTestNetwork({ overrides: { rules } });
    const [ordinary, urgent] = [some(6, URGENT - 1n), some(6, URGENT)];
    await submit(network, network.node(0), ...ordinary, ...urgent);
    expect(await places(network, urgent)).toBe('uouuuouuoooo');
  });

  it('is classified by its home validator, whichever node accepted it', async () => {
    const network = createTestNetwork({ overrides: { rules } });
    const [ordinary, urgent] = [some(6, FEE), some(6, URGENT)];
    await submit(network, network.node(2), ...ordinary, ...urgent);
    await network.pass(60);
    expect(await places(network, urgent)).toBe('uouuuouuoooo');
  });

  it.each([
    ['all are equal where execution is free', { ...rules, feeOf: (_: Units): bigint => 0n }],
    ['no urgent threshold is known', { unitsOf, feeOf: (_: Units): bigint => FEE }],
  ])('has its place by its time alone when %s', async (_, free) => {
    const network = createTestNetwork({ overrides: { rules: free } });
    const all = [...some(3, FEE), ...some(3, 1_000_000n), ...some(3, URGENT)];
    await submit(network, network.node(0), ...all);
    await certify(network);
    expect(await idsOf(network.node(0), await build(network, network.node(0)))).toEqual(all.map(idOf));
  });

  it('is ordinary if its sender’s balance does not cover it beside earlier urgent ones, and is accepted', async () => {
    const balancesOf = async (of: readonly unknown[]) => of.map(() => 2n * URGENT);
    const network = createTestNetwork({ overrides: { rules: { ...rules, balancesOf } } });
    const same = some(6, URGENT);
    const other = some(1, URGENT, accountOf(0, 1));
    await submit(network, network.node(0), ...same, ...other);
    await certify(network);
    const ids = await idsOf(network.node(0), await build(network, network.node(0)));
    const [a, b, c, d, e, f] = same.map(idOf);
    expect(ids).toEqual([a, c, b, ...other.map(idOf), d, e, f]);
  });

  it('is ordinary above the sender’s maximum of urgent ones, and urgent again when these are executed', async () => {
    const network = createTestNetwork({ overrides: { rules }, limits: { senderUrgentMax: 1 } });
    const all = some(3, URGENT);
    await submit(network, network.node(0), ...some(1, FEE), ...all);
    expect(await places(network, all)).toBe('uouu');
    expect(network.node(0).dissemination.stats().pool.transactions).toBe(4);
    network.node(0).dissemination.expire(START_MS + 60_000);
    expect(network.node(0).dissemination.stats().pool.transactions).toBe(0);
  });
});

it('an ordinary one keeps its share of every chunk during a flood of urgent ones', async () => {
  const network = createTestNetwork({
    overrides: { rules },
    limits: { chunkTransactionsMax: 8, senderUrgentMax: 1_000, clientWindowStart: 1_000 },
  });
  const ordinary = some(8, FEE);
  await submit(network, network.node(0), ...some(100, URGENT), ...ordinary);
  for (let round = 0; round < 4; round++) {
    await submit(network, network.node(0), ...some(100, URGENT));
    await network.pass(200);
  }
  const packed = await idsOf(network.node(0), await build(network, network.node(0), undefined, network.nowMs()));
  const had = packed.filter((id) => ordinary.some((bytes) => idOf(bytes) === id));
  expect(packed.length).toBeGreaterThanOrEqual(16);
  expect(had).toEqual(ordinary.slice(0, packed.length / 4).map(idOf));
});
