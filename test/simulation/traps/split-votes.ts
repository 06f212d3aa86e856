import { assert } from '@slipstream/primitives';
import { corrupted } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';

/** Of honest leaders: the first, and one per pruning of the attacker's record. */
const LOST_MAX = 3;

/**
 * The attacker never votes, so every honest vote is needed, and sends its blocks to some members only. Those vote for a block, and early
 * for the next leader's child: that view lacks votes too. If early votes continued, each next leader's block would find the votes split,
 * for ever.
 */
export const splitVotes: Scenario = {
  name: 'trap-split-votes',
  about:
    'An attacker that never votes sends its blocks to some: early votes cost one next view, and then none (rule 4a).',
  async play({ size, turns, random, cluster }) {
    const attacker = random.below(size);
    const splits = corrupted(({ random: chance }) => {
      let chosen: ReadonlySet<number> = new Set();
      let chosenIn = 0;
      return async (frame, to) => {
        if (frame.name === 'consensus') return [{ ...frame, value: { ...frame.value, votes: [] } }];
        if (frame.name !== 'proposal') return [frame];
        const { view } = frame.value.block;
        if (view !== chosenIn) {
          const count = 1 + chance.below(size - 2);
          chosen = new Set(Array.from({ length: count }, () => chance.below(size)));
          chosenIn = view;
        }
        return chosen.has(to) ? [frame] : [];
      };
    });
    const byzantine = new Map([[attacker, splits]]);
    const { start, progress, honest, checks, mark } = cluster({ byzantine, consensus: { minBlockIntervalMs: 0 } });
    start();
    await progress(turns(10), 300_000, honest);
    const lost = [...checks.nullified.values()].filter((leader) => leader !== attacker).length;
    mark(`${lost} views of honest leaders were nullified`);
    assert(lost <= LOST_MAX, `views of honest leaders are not lost for ever (${lost} were)`);
  },
};
