import { assert } from '@slipstream/primitives';
import type { Scenario } from '../scenario.ts';

/** Ten views: blocks are final long before. */
const LATE_MS_MAX = 2_000;
const AHEAD_BLOCKS_MAX = 64;

/**
 * The others are no quorum without it, so a state certificate needs its vote long after its blocks are final. If it did not certify them,
 * no block would be certified.
 */
export const lateExecutor: Scenario = {
  name: 'trap-late-executor',
  about:
    'A validator that is needed for every quorum executes seconds late: it certifies blocks that are long final (rule 7).',
  async play({ size, turns, random, faultyMax, cluster }) {
    const first = random.below(size);
    const order = Array.from({ length: size }, (_, at) => (first + at) % size);
    const late = random.below(size);
    const dead = order.filter((member) => member !== late).slice(0, faultyMax);
    const made = cluster({
      applicationOf: (member) => (member === late ? { executeMsMax: LATE_MS_MAX } : {}),
    });
    const { checks, peer, members, until } = made;
    const alive = members.filter((member) => !dead.includes(member));
    const certified = () => Math.min(...alive.map((member) => checks.finality.certifiedHeightOf(peer(member))));
    const final = () => Math.max(...alive.map((member) => checks.finality.finalHeightOf(peer(member))));
    made.start(alive);
    await made.progress(turns(2), 120_000, alive);
    for (let round = 0; round < 3; round++) {
      const before = certified();
      await until('further blocks are certified', () => certified() > before + size, 120_000);
      assert(final() - certified() <= AHEAD_BLOCKS_MAX, `it is not left behind (${certified()} of ${final()})`);
    }
  },
};
