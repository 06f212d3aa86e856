/** docs/protocol/epochs.md, "The seal": how much weight may move at once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSound, soundWeightToward } from '../src/epochs/shares.ts';

describe('shares', () => {
  const weights = fc
    .dictionary(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 30 }), { minKeys: 1 })
    .map((all) => new Map(Object.entries(all)));

  it('are sound exactly when less than two thirds move in all', () => {
    fc.assert(
      fc.property(weights, weights, (now, next) => {
        const total = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((sum, weight) => sum + weight, 0);
        const names = new Set([...now.keys(), ...next.keys()]);
        const share = (of: ReadonlyMap<string, number>, name: string) => (of.get(name) ?? 0) / total(of);
        const moved = [...names].reduce((sum, name) => sum + Math.abs(share(now, name) - share(next, name)), 0);
        if (Math.abs(moved - 2 / 3) > 1e-9) expect(isSound(now, next)).toBe(moved < 2 / 3);
      }),
    );
  });

  it('leave the members that stay a quorum of both committees', () => {
    fc.assert(
      fc.property(weights, weights, (now, next) => {
        if (!isSound(now, next)) return;
        for (const committee of [now, next]) {
          const [staying, all] = [...committee].reduce(
            ([stay, sum], [name, weight]) => [stay + (now.has(name) && next.has(name) ? weight : 0), sum + weight],
            [0, 0],
          ) as [number, number];
          expect(3 * staying).toBeGreaterThan(2 * all);
        }
      }),
    );
  });

  it('allow a weight that no sound one is nearer to its target than', () => {
    fc.assert(
      fc.property(weights, fc.constantFrom(...'abcdefghi'), fc.nat(60), fc.nat(60), (now, id, first, target) => {
        const before = new Map(now);
        const reached = soundWeightToward(now, before, id, first);
        if (reached === 0) before.delete(id);
        else before.set(id, reached);
        const found = soundWeightToward(now, before, id, target);
        const next = (weight: number) => {
          const after = new Map(before);
          if (weight === 0) after.delete(id);
          else after.set(id, weight);
          return isSound(now, after);
        };
        expect(next(found)).toBe(true);
        const step = Math.sign(target - found);
        if (step !== 0) expect(next(found + step)).toBe(false);
      }),
    );
  });
});
