import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import { blockIdOf, decodeFrame, hexOf, type Proposal } from '@slipstream/types';
import type { Scenario } from '../scenario.ts';

/** Then the proposal is seen again. */
const CRASHES_SHOWN = 6;
/** A crash proves nothing if the view ended before the leader reconnected. */
const CRASHES_MAX = 40;

export const replayedProposal: Scenario = {
  name: 'trap-replayed-proposal',
  about: 'A leader loses power right after it sent its optimistic proposal: it resends that one and builds no other.',
  async play({ turns, random, cluster }) {
    const { start, progress, until, network, nodes, simulation, node, mark } = cluster({
      consensus: { minBlockIntervalMs: 0, historyQueryMs: 10, leaderTimeoutMs: 1000, viewTimeoutMs: 2000 },
    });
    const proposals = new Map<string, string>();
    let again = 0;
    let armed = false;

    function onProposal(member: number, { block, kind }: Proposal): void {
      if (kind !== 'optimistic') return;
      const id = hexOf(blockIdOf(block));
      const key = `${block.view}`;
      assert((proposals.get(key) ?? id) === id, `one optimistic proposal of view ${block.view}`);
      if (proposals.has(key)) again++;
      proposals.set(key, id);
      if (!armed) return;
      armed = false;
      simulation.schedule(random.unit() * 3, () => {
        mark(`${member} loses power after its proposal of view ${block.view}`);
        node(member).crash(random.pick(CRASH_MODES));
        node(member).start();
      });
    }

    let last: Uint8Array | undefined;
    network.tap(({ from, frame }) => {
      if (frame === last) return;
      last = frame;
      const decoded = decodeFrame(frame);
      if (!decoded.ok || decoded.value.name !== 'proposal') return;
      onProposal(
        nodes.findIndex(({ peer }) => peer === from),
        decoded.value.value,
      );
    });
    start();
    await progress(2, 10_000);
    let shown = 0;
    for (let crashes = 0; shown < CRASHES_SHOWN; crashes++) {
      assert(crashes < CRASHES_MAX, `a proposal was sent again after ${shown} of ${CRASHES_MAX} crashes`);
      const before = again;
      armed = true;
      await until('a leader loses power', () => !armed, 60_000);
      await progress(turns(1), 20_000);
      if (again > before) shown++;
    }
  },
};
