/** The first block of an epoch, and what it leaves of the last ones. */
import { describe, expect, it } from 'vitest';
import { recordHeadKey, recordMemberKey } from '../src/epochs/keys.ts';
import { FREE_FEES, readFees } from '../src/index.ts';
import { epochChain, epochGenesis, weightOf } from './epoch-world.ts';

const FOUR = { a: 1, b: 1, c: 1, d: 1 };
const { times: TIMES } = epochGenesis(FOUR);

describe('an epoch that began', () => {
  it('drops the members of records whose chunks have expired, and keeps their heads', () => {
    const chain = epochChain(epochGenesis(FOUR));
    const hasMembers = (epoch: number) => chain.read(recordMemberKey(epoch, 0).bytes) !== undefined;
    for (let epoch = 1; epoch <= 3; epoch++) {
      chain.decide([weightOf('a', 1 + (epoch % 2))]);
      chain.untilSealed();
      chain.nowMs += 30_000;
      chain.move();
    }
    expect([0, 1, 2, 3].map(hasMembers)).toEqual([false, true, true, true]);
    expect(chain.read(recordHeadKey(0).bytes)).toBeDefined();
  });

  it('executes by its own fees, and a raised minimum is reached by steps of the window', () => {
    const raised = { ...FREE_FEES, minimumPrices: [80n, 0n, 0n, 0n, 0n], windowBlocks: 1, targets: [1, 1, 1, 1, 1] };
    const chain = epochChain(epochGenesis(FOUR));
    chain.decide([{ kind: 'setParameters', fees: raised, times: TIMES }]);
    chain.untilSealed();
    const price = () => readFees(chain.read, raised).prices[0] as bigint;
    expect(price()).toBe(0n);
    chain.move();
    const prices = [price()];
    while (price() < 80n) {
      chain.execute([]);
      prices.push(price());
    }
    for (const [i, now] of prices.entries()) {
      const before = prices[i - 1] ?? 0n;
      expect(now - before).toBeLessThanOrEqual(before / 8n > 1n ? before / 8n : 1n);
    }
    chain.execute([]);
    expect(price()).toBe(80n);
  });

  it('is entered by a block of the next epoch alone, and only when its record is sealed', () => {
    const chain = epochChain(epochGenesis(FOUR));
    chain.execute([]);
    chain.close();
    expect(() => chain.execute([])).toThrow('begins with a sealed record');
  });
});
