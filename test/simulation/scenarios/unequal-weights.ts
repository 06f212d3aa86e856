import type { Scenario } from '../scenario.ts';

export const unequalWeights: Scenario = {
  name: 'unequal-weights',
  about: 'Weights from 1 to 10: as long as more than two thirds of the weight is there, blocks become final.',
  async play({ size, turns, random, cluster }) {
    const weights = Array.from({ length: size }, () => 1 + random.below(10));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const { start, progress, members, run, mark } = cluster({ weights });
    const absent: number[] = [];
    let missing = 0;
    for (const member of [...members].sort(() => random.unit() - 0.5)) {
      const weight = weights[member] as number;
      if (3 * (missing + weight) >= total) continue;
      absent.push(member);
      missing += weight;
    }
    const present = members.filter((member) => !absent.includes(member));
    mark(`weights ${weights}; absent ${absent}`);
    start(present);
    await progress(turns(2), 300_000, present);
    start(absent);
    await run(2000);
    await progress(turns(2), 60_000);
  },
};
