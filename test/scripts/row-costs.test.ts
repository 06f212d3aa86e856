import { describe, expect, it } from 'vitest';
import { rowCostsOf } from '../../scripts/bench/throughput-distilled/row-costs.ts';

const VALIDATORS = 4;
const use = {
  blocksPerSecond: 3,
  ownMsPerSecond: 200,
  nodes: new Map([
    ['full-node-0', new Map([['main', 50]])],
    ...[0, 1, 2].map((n) => [`validator-${n}`, new Map(Object.entries({ main: 100, verifier: 40 }))] as const),
  ]),
};

describe('costs of rows', () => {
  it('are the mean of the nodes, by thread, for a row', () => {
    const { threads, rowUs, generatorMs, blocksPerSecond } = rowCostsOf(use, 1_000, VALIDATORS);
    expect(threads).toEqual([
      { thread: 'main', msPerSecond: 90, rowUs: 90 },
      { thread: 'verifier', msPerSecond: 32, rowUs: 32 },
    ]);
    expect(rowUs).toBe(122);
    expect({ generatorMs, blocksPerSecond }).toEqual({ generatorMs: 200, blocksPerSecond: 3 });
  });

  it('shrink with the rate where the time does not', () => {
    expect(rowCostsOf(use, 4_000, VALIDATORS).rowUs).toBe(30.5);
  });

  it('are finite without a row', () => {
    expect(Number.isFinite(rowCostsOf(use, 0, VALIDATORS).rowUs)).toBe(true);
  });
});
