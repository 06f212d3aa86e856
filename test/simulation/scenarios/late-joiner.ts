import type { Scenario } from '../scenario.ts';

export const lateJoiner: Scenario = {
  name: 'late-joiner',
  about: 'One validator starts for the first time when the others are many blocks ahead: it catches up and votes.',
  async play({ size, turns, random, cluster }) {
    const late = random.below(size);
    const { start, progress, until, node, members, checks } = cluster();
    const early = members.filter((member) => member !== late);
    start(early);
    await progress(20 + random.below(100), 120_000, early);
    start([late]);
    await until(
      'the late one is there',
      () => {
        const there = checks.finality.finalHeightOf(node(late).peer);
        return there + 2 >= Math.max(...early.map((member) => checks.finality.finalHeightOf(node(member).peer)));
      },
      15_000,
    );
    await progress(turns(2), 15_000);
  },
};
