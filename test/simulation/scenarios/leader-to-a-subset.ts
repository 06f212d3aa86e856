import { attackScenario } from '../attackers/attack-scenario.ts';
import { corrupted } from '../attackers/corrupted.ts';

export const leaderToASubset = attackScenario({
  name: 'leader-to-a-subset',
  about: 'Lying leaders send their proposals to some only, another set each time.',
  blockedFor: 'never',
  code: (_liar, { size }) =>
    corrupted((liar) => {
      const chosen = new Map<number, ReadonlySet<number>>();
      const setOf = (view: number) => {
        const known = chosen.get(view);
        if (known) return known;
        const count = 1 + liar.random.below(size - 1);
        const set = new Set(Array.from({ length: count }, () => liar.random.below(size)));
        chosen.set(view, set);
        return set;
      };
      return async (frame, to) => {
        if (frame.name === 'proposal' && !setOf(frame.value.block.view).has(to)) return [];
        return [frame];
      };
    }),
});
