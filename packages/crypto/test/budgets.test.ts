import { describe, expect, it } from 'vitest';
import { createBudgets } from '../src/index.ts';

const LIMITS = { sourceTokens: 3, sourceTokensPerSecond: 1, allTokens: 5, allTokensPerSecond: 2, sourcesMax: 4 };

function budgetsAt(limits: Partial<typeof LIMITS> = {}) {
  const clock = { nowMs: 0 };
  const budgets = createBudgets({ monotonicMs: () => clock.nowMs }, { ...LIMITS, ...limits });
  /** How often in a row a token is given. */
  const spend = (source: string, most = 10) => {
    let taken = 0;
    while (taken < most && budgets.of(source).take()) taken += 1;
    return taken;
  };
  return { clock, budgets, spend };
}

describe('budgets', () => {
  it('start a source at its maximum, refill with time, and never exceed the maximum', () => {
    const { clock, budgets, spend } = budgetsAt({ allTokens: 100 });
    expect(spend('a')).toBe(3);
    expect(budgets.refusals).toBe(1);
    clock.nowMs += 999;
    expect(spend('a')).toBe(0);
    clock.nowMs += 1;
    expect(spend('a')).toBe(1);
    clock.nowMs += 60_000;
    expect(spend('a')).toBe(3);
  });

  it('bound all sources together: addresses are cheap', () => {
    const { clock, spend } = budgetsAt();
    expect([spend('a'), spend('b'), spend('c')]).toEqual([3, 2, 0]);
    clock.nowMs += 1_000;
    expect([spend('d'), spend('e')]).toEqual([2, 0]);
  });

  it('charge no source for valid work, and credit none above its maximum', () => {
    const { budgets, spend } = budgetsAt();
    for (let i = 0; i < 100; i++) {
      expect(budgets.of('a').take()).toBe(true);
      budgets.of('a').giveBack();
    }
    for (let i = 0; i < 10; i++) budgets.of('a').giveBack();
    expect([spend('a'), spend('b'), spend('c')]).toEqual([3, 2, 0]);
  });

  it('of forgotten names are bounded by the budget of all', () => {
    const { spend } = budgetsAt({ sourcesMax: 1 });
    expect(['a', 'b', 'a', 'b', 'a'].map((source) => spend(source))).toEqual([3, 2, 0, 0, 0]);
  });
});
