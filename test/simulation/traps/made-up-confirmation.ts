import { constantLatency } from '@slipstream/simulator';
import { type Block, blockIdOf, type Frame, type Vote, view } from '@slipstream/types';
import { collectVotes } from '../attackers/certificates.ts';
import { frameOf, type Liar, rivalOf } from '../attackers/corrupted.ts';
import { type Intermediary, intermediary } from '../attackers/intermediary.ts';
import type { Scenario } from '../scenario.ts';

const FAST_MS = 1;
/** Below every timer, above two rounds of votes to the attacker. */
const SLOW_MS = 150;
const NOTHING = { certificates: [], votes: [], confirmations: [] };

/**
 * Leads view 2. It sends all the notarization of view 1, so that they finalize that block, and confirms a made-up rival with a header of
 * view 1. Honest votes would make it final before the certificates of other members arrive.
 */
function confirmARival(liar: Liar, served: () => void): Intermediary {
  const { committee } = liar.setting.chain;
  const others = committee.members.filter(({ index }) => index !== liar.self).map(({ peerKey }) => peerKey);
  const collections = (['notarize', 'finalize'] as const).map((kind) => collectVotes(liar, kind));
  let rival: Block | undefined;

  function sendAll(frame: Frame): void {
    for (const to of others) liar.send(to, frame);
  }

  async function confirm(block: Block): Promise<void> {
    const blockId = blockIdOf(block);
    const signature = await liar.proposal('normal', { ...block, view: view(2) }, blockId);
    sendAll(
      frameOf('consensus', { ...NOTHING, confirmations: [{ epoch: block.epoch, view: view(2), blockId, signature }] }),
    );
  }

  async function gather(vote: Vote): Promise<void> {
    for (const collection of collections) {
      const certificate = await collection.add(vote);
      if (certificate === undefined) continue;
      const { kind, view: at } = certificate.subject;
      if (kind === 'finalize' && at === 1) continue; // they find it later
      sendAll(frameOf('consensus', { ...NOTHING, certificates: [certificate] }));
      if (kind === 'notarize' && at === 1 && rival) await confirm(rival);
    }
  }

  return {
    passes(to, frame) {
      if (frame.name === 'syncResponse' && frame.value.blocks.length === 0 && rival) {
        served();
        liar.send(committee.members[to]?.peerKey ?? liar.world.transport.self, {
          ...frame,
          value: { ...frame.value, blocks: [rival] },
        });
        return false;
      }
      return frame.name !== 'consensus' && frame.name !== 'proposal';
    },
    onFrame(frame) {
      if (frame.name === 'proposal' && frame.value.block.view === 1) {
        rival = { ...rivalOf(frame.value.block), proposer: liar.self };
      }
      if (frame.name !== 'consensus') return;
      for (const vote of frame.value.votes) if (vote.subject.view <= 2) void gather(vote);
    },
  };
}

export const madeUpConfirmation: Scenario = {
  name: 'trap-made-up-confirmation',
  about:
    'The leader of view 2 confirms a false block of view 1, whose real block is final: it gets no vote, all block the leader.',
  onlySizes: [4],
  async play({ seed, cluster }) {
    const same = { seed: `confirmation ${seed}`, consensus: { minBlockIntervalMs: 0 } };
    const attacker = cluster(same).leaderOf(2);
    let asked = false;
    const code = intermediary((liar) =>
      confirmARival(liar, () => {
        asked = true;
      }),
    );
    const made = cluster({
      ...same,
      network: { latency: constantLatency(FAST_MS) },
      byzantine: new Map([[attacker, code]]),
    });
    const { network, checks, peer, honest, until } = made;
    for (const from of honest) {
      for (const to of honest)
        if (from !== to) network.setLink(peer(from), peer(to), { latency: constantLatency(SLOW_MS) });
    }
    made.start();
    await until('the made-up block is asked for', () => asked, 10_000);
    const allBlock = () => checks.blocking.blockedBy(attacker).size === honest.length;
    await until('all have blocked the member that confirmed it', allBlock, 10_000);
    network.setAllLinks({ latency: constantLatency(FAST_MS) });
    await made.progress(5, 60_000, honest);
  },
};
