import { assert } from '@slipstream/primitives';
import { corrupted, rewriteVotes } from '../attackers/corrupted.ts';
import type { Scenario } from '../scenario.ts';

export const liarToOne: Scenario = {
  name: 'trap-liar-to-one',
  about: 'A liar sends bad votes to one validator only, which alone blocks it, and follows the others all the same.',
  async play({ size, turns, random, cluster }) {
    const liar = random.below(size);
    const victim = (liar + 1 + random.below(size - 1)) % size;
    const code = corrupted(({ random: chance }) =>
      rewriteVotes((vote, to) =>
        to === victim ? [{ ...vote, signature: chance.bytes(vote.signature.length) }] : [vote],
      ),
    );
    const { start, progress, until, checks, honest, peer } = cluster({ byzantine: new Map([[liar, code]]) });
    start();
    await until('the victim blocks the liar', () => checks.blocking.blockedBy(liar).size > 0, 30_000);
    await progress(turns(6), 60_000, honest);
    const blockers = [...checks.blocking.blockedBy(liar).keys()];
    assert(blockers.join() === peer(victim), `only the victim blocks the liar (${blockers.length} do)`);
  },
};
