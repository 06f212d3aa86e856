import { assert } from '@slipstream/primitives';
import { corrupted } from '../attackers/corrupted.ts';
import type { NodeCode } from '../harness/cluster.ts';
import type { Scenario } from '../scenario.ts';

/**
 * The first members of the committee, with which every list begins, send their blocks to just enough others for a notarization, and answer
 * no request. Members must fetch the blocks elsewhere.
 */
export const silentProposer: Scenario = {
  name: 'trap-silent-proposer',
  about: 'Liars show their blocks to a quorum at most and answer no request: the fetch goes to others.',
  sizes: [4, 7, 13],
  async play({ size, turns, faultyMax, cluster }) {
    const liars = Array.from({ length: faultyMax }, (_, member) => member);
    const hidesFrom = (to: number) => to >= size - faultyMax;
    const code: NodeCode = corrupted(() => async (frame, to) => {
      if (frame.name === 'syncResponse') return [];
      return frame.name === 'proposal' && hidesFrom(to) ? [] : [frame];
    });
    const { start, progress, honest, checks } = cluster({ byzantine: new Map(liars.map((liar) => [liar, code])) });
    start();
    await progress(turns(3), 20_000, honest);
    assert(checks.nullified.size <= size, `hidden blocks cost few views (${checks.nullified.size})`);
  },
};
