/** Calibration (pipeline.md). */
import type { BlockId, ChunkReference } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { chunkShareOf, createExecutionRate } from '../../src/control/execution-rate.ts';
import {
  accountOf,
  block,
  createTestNetwork,
  idOf,
  LIMITS,
  type TestNetwork,
  transaction,
} from '../harness/network.ts';
import { build, idsOf } from '../harness/steps.ts';

const computeOf = (compute: number) => [0, compute, 0, 0, 0];
const limits = [7, 1_000_000, 7, 7, 7];

const setting = {
  targetExecutionMs: 100,
  targetExecutionMsMax: 200,
  blockIntervalMs: () => 0,
  unitLimits: () => limits,
};

function rateAfter(...blocks: readonly (readonly [compute: number, tookMs: number])[]) {
  const rate = createExecutionRate(setting);
  for (const [compute, tookMs] of blocks) rate.executed(computeOf(compute), tookMs);
  return { rate, computeMax: () => rate.timelyUnits[1] };
}

const times = <T>(count: number, value: T): readonly T[] => Array.from({ length: count }, () => value);

describe('the execution rate', () => {
  it('bounds nothing before its first samples', () => {
    expect(rateAfter(...times(4, [1_000, 100] as const)).rate.timelyUnits).toEqual(limits);
  });

  it('bounds compute, and nothing else, to what the median rate executes within the target', () => {
    expect(rateAfter(...times(5, [1_000, 20] as const)).rate.timelyUnits).toEqual([7, 5_000, 7, 7, 7]);
  });

  it.each([
    [150, 5_000],
    [300, 7_500],
    [2_000, 10_000],
  ])('fills half of a block interval of %i ms where that is longer, up to a maximum', (blockIntervalMs, compute) => {
    const rate = createExecutionRate({ ...setting, blockIntervalMs: () => blockIntervalMs });
    for (const [units, tookMs] of times(5, [1_000, 20] as const)) rate.executed(computeOf(units), tookMs);
    expect(rate.timelyUnits[1]).toBe(compute);
  });

  it('is not changed by single slow blocks', () => {
    const slow = times(3, [1_000, 2_000] as const);
    expect(rateAfter(...times(6, [1_000, 20] as const), ...slow).computeMax()).toBe(5_000);
  });

  it('never exceeds the limits of a block', () => {
    expect(rateAfter(...times(9, [1_000_000, 6] as const)).computeMax()).toBe(1_000_000);
  });

  it('ignores small blocks: they measure the cost of a block, not of its content', () => {
    expect(rateAfter(...times(5, [1_000, 20] as const), ...times(20, [10, 4] as const)).computeMax()).toBe(5_000);
  });

  it('grows again after a slow time, however small the blocks became', () => {
    const { rate, computeMax } = rateAfter(...times(15, [1_000, 1_000] as const));
    expect(computeMax()).toBe(100);
    for (let i = 0; i < 60; i++) rate.executed(computeOf(computeMax() as number), (computeMax() as number) / 10_000);
    expect(computeMax()).toBe(1_000_000);
  });
});

describe('one producer alone', () => {
  const share = (limits: readonly number[]) => Math.floor((limits[1] as number) * chunkShareOf(4));

  it('grows again after a slow time, though none of its blocks has more than its chunk', () => {
    const { rate, computeMax } = rateAfter(...times(15, [100, 50] as const));
    expect(computeMax()).toBe(200);
    for (let i = 0; i < 100; i++) rate.executed(computeOf(share(rate.timelyUnits)), share(rate.timelyUnits) / 10_000);
    expect(computeMax()).toBe(1_000_000);
  });
});

/** Validators of equal speed in virtual time. */
function createChain(network: TestNetwork, members = 4) {
  const nodes = Array.from({ length: members }, (_, index) => network.node(index));
  let parentId: BlockId = network.genesisId;
  let height = 0;
  const accepted = new Set<string>();
  const executed = new Set<string>();

  async function commit(payload: readonly ChunkReference[], msATransaction: number): Promise<number> {
    height += 1;
    const made = block({ parentId, payload, timestampMs: network.nowMs(), height });
    for (const { dissemination } of nodes) dissemination.trackBlock(made.id, made.block);
    const executedIds = await idsOf(network.node(0), payload);
    for (const id of executedIds) executed.add(id);
    const executeMs = executedIds.length * msATransaction;
    for (const { dissemination } of nodes) {
      dissemination.committed(made.id, made.block, { executedIds, skipped: [], executeMs });
    }
    parentId = made.id;
    return executeMs;
  }

  return {
    accepted,
    executed,
    /** Submits, commits a block, returns its execution time. */
    async round(transactions: number, msATransaction: number): Promise<number> {
      for (let i = 0; i < transactions; i++) {
        const from = accountOf(i % members, 0, members);
        const bytes = transaction({ from, expiryMs: network.nowMs() + 60_000 });
        void network
          .node(i % members)
          .dissemination.submit(bytes)
          .then(({ type }) => type === 'accepted' && accepted.add(idOf(bytes)));
      }
      await network.pass(700);
      return commit(await build(network, network.node(height % members), parentId, network.nowMs()), msATransaction);
    },
  };
}

describe('a chain', () => {
  const compute = (LIMITS[1] as number) / 1_000;
  const rules = { unitsOf: () => [1, compute, 0, 0, 0], feeOf: () => 0n };

  it('with slow machines and 700 ms between blocks makes blocks that execute within 200 ms, and loses no accepted transaction', async () => {
    const network = createTestNetwork({ overrides: { rules } });
    const chain = createChain(network);
    const slow: number[] = [];
    for (let i = 0; i < 14; i++) slow.push(await chain.round(80, 5));
    expect(Math.max(...slow.slice(0, 5))).toBeGreaterThan(200);
    for (const executeMs of slow.slice(8)) expect(executeMs).toBeLessThanOrEqual(200);
    expect(Math.min(...slow.slice(8))).toBeGreaterThan(100);
    expect(chain.accepted.size - chain.executed.size).toBeGreaterThan(80);
    for (let i = 0; i < 20; i++) expect(await chain.round(0, 0.5)).toBeLessThanOrEqual(200);
    expect(chain.executed).toEqual(chain.accepted);
  });

  it('of one validator executes all that it can: its one chunk in an interval may fill a block', async () => {
    const network = createTestNetwork({ members: 1, overrides: { rules } });
    const chain = createChain(network, 1);
    const msOfBlocks: number[] = [];
    for (let i = 0; i < 24; i++) msOfBlocks.push(await chain.round(40, 2.5));
    for (const executeMs of msOfBlocks) expect(executeMs).toBe(100);
  });

  it('includes a transaction that alone exceeds the target: it would wait for ever', async () => {
    const network = createTestNetwork({ overrides: { rules } });
    const chain = createChain(network);
    for (let i = 0; i < 6; i++) expect(await chain.round(1, 500)).toBe(500);
  });
});
