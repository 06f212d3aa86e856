import { describe, expect, it } from 'vitest';
import { rowCostsOf } from '../../scripts/bench/throughput-distilled/row-costs.ts';

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
    const { threads, rowUs, generatorMs, blocksPerSecond } = rowCostsOf(use, 1_000);
    expect(threads).toEqual([
      { thread: 'main', msPerSecond: 87.5, rowUs: 87.5 },
      { thread: 'verifier', msPerSecond: 30, rowUs: 30 },
    ]);
    expect(rowUs).toBe(117.5);
    expect({ generatorMs, blocksPerSecond }).toEqual({ generatorMs: 200, blocksPerSecond: 3 });
  });

  it('shrink with the rate where the time does not', () => {
    expect(rowCostsOf(use, 4_000).rowUs).toBe(29.375);
  });

  it('are finite without a row', () => {
    expect(Number.isFinite(rowCostsOf(use, 0).rowUs)).toBe(true);
  });
});
