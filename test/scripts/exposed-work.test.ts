/** docs/performance/pipeline.md: what a block's stages took after its order was known. */
import { describe, expect, it } from 'vitest';
import { exposedOf } from '../../scripts/bench/zaptos/latencies.ts';

const hiddenOf = (totalMs: number, shadowedMs: number) => ({ totalMs, shadowedMs, share: shadowedMs / totalMs });

describe('the exposed work of a block', () => {
  it('is the commit alone where all else ended before', () => {
    const times = { executedMs: 30, digestedMs: 31, optCommittedMs: 33, finalizedMs: 40, committedMs: 45 };
    expect(exposedOf({ times, executeMs: 28, hidden: hiddenOf(36, 31) })).toEqual([0, 0, 0, 5]);
  });

  it('is of a stage what lies behind the order', () => {
    const times = { executedMs: 30, digestedMs: 31, optCommittedMs: 33, finalizedMs: 20, committedMs: 38 };
    expect(exposedOf({ times, executeMs: 28, hidden: hiddenOf(36, 18) })).toEqual([10, 1, 2, 5]);
  });

  it('is all of a block that was ordered before it ran', () => {
    const times = { executedMs: 130, digestedMs: 131, optCommittedMs: 133, finalizedMs: 20, committedMs: 138 };
    expect(exposedOf({ times, executeMs: 28, hidden: hiddenOf(36, 0) })).toEqual([28, 1, 2, 5]);
  });
});
