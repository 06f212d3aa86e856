import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import { decodeFrame, frameNameOf } from '@slipstream/types';
import type { Scenario } from '../scenario.ts';

/**
 * Two of four receive, but their messages are lost: they complete a quorum for a view, the others do not, and neither half progresses
 * alone. All lose power; the first messages of the two are lost again. Then the others need the certificate among periodic resends.
 */
export const restartedApart: Scenario = {
  name: 'trap-restarted-apart',
  about:
    'Two of four are a view ahead when all lose power: the resent certificate of that view brings the others into it (rule 5).',
  onlySizes: [4],
  async play({ random, cluster, turns }) {
    const consensus = { historyQueryMs: 1000, leaderTimeoutMs: 200, viewTimeoutMs: 400 };
    const { start, progress, healed, run, until, members, node, network, peer, mark } = cluster({ consensus });
    const order = [...members].sort(() => random.unit() - 0.5);
    const [ahead, behind] = [order.slice(0, 2), order.slice(2)];
    const peersAhead = new Set(ahead.map(peer));
    let loses = false;
    const nullified = new Map<string, number>();
    network.tap(({ from, to, frame }) => {
      const view = viewGivenUp(frame);
      if (view !== undefined) nullified.set(from, view);
      if (!peersAhead.has(from) || peersAhead.has(to)) return;
      // Signing-history queries and answers pass, or the nodes would not sign.
      const name = frameNameOf(frame);
      const passes = !loses || name === 'historyQuery' || name === 'historyAnswer';
      network.setLink(from, to, { lossRate: passes ? 0 : 1 });
    });
    const statusOf = (member: number) => node(member).running?.consensus?.status();
    const viewOf = (member: number) => Number(statusOf(member)?.view ?? 0);
    const areApart = () => ahead.every((one) => behind.every((other) => viewOf(one) > viewOf(other)));

    start();
    await progress(2 + random.below(4), 10_000);
    await run(random.below(200));
    loses = true;
    mark(`${behind} receive nothing of ${ahead}`);
    const gaveUp = (member: number) => nullified.get(peer(member)) === viewOf(member);
    await until('two nullify a view that the others did not enter', () => areApart() && members.every(gaveUp), 60_000);
    for (const member of members) node(member).crash(random.pick(CRASH_MODES));
    mark('power cut');
    start();
    await until('all may sign again', () => members.every((member) => statusOf(member)?.signing === true), 10_000);
    await run(100);
    assert(areApart(), 'the two are ahead again, from their logs');
    loses = false;
    mark('the links are whole');
    await healed();
    await progress(turns(1), 15_000);
  },
};

function viewGivenUp(frame: Uint8Array): number | undefined {
  const decoded = decodeFrame(frame);
  if (!decoded.ok || decoded.value.name !== 'consensus') return undefined;
  return decoded.value.value.votes.find(({ subject }) => subject.kind === 'nullify')?.subject.view;
}
