import { constantLatency } from '@slipstream/simulator';
import {
  type Block,
  blockIdOf,
  type Certificate,
  decodeFrame,
  type Frame,
  GENESIS_EPOCH,
  height,
  payloadRootOf,
  view,
} from '@slipstream/types';
import { collectVotes } from '../attackers/certificates.ts';
import { frameOf, type Liar } from '../attackers/corrupted.ts';
import { type Intermediary, intermediary } from '../attackers/intermediary.ts';
import type { Scenario } from '../scenario.ts';

const FAST_MS = 5;
/** Above every timer of a first view: votes for its block and Nullify votes arrive together. */
const SLOW_MS = 1_500;

/**
 * Leads view 2: builds on genesis, while others hold a block of view 1, and shows its block to two members. It withholds the notarization
 * until the first vote of view 3: then the block can be no parent, and nothing of it is final.
 */
function forkInView2(liar: Liar, shownTo: readonly number[]): Intermediary {
  const { chain } = liar.setting;
  const nullifies = collectVotes(liar, 'nullify');
  const notarizes = collectVotes(liar, 'notarize');
  let forkId: string | undefined;
  let withheld: Certificate | undefined;
  let joinsIn = true;

  async function propose(justification: Certificate): Promise<void> {
    joinsIn = false;
    const { genesis, genesisId } = chain;
    const block: Block = {
      epoch: GENESIS_EPOCH,
      view: view(2),
      height: height(1),
      parentId: genesisId,
      parentView: genesis.view,
      timestampMs: liar.world.clock.wallMs(),
      proposer: liar.self,
      payload: [],
      payloadRoot: payloadRootOf([]),
      next: undefined,
    };
    const blockId = blockIdOf(block);
    forkId = blockId.join();
    const signature = await liar.proposal('normal', block, blockId);
    const proposal = frameOf('proposal', { kind: 'normal', block, justification: [justification], signature });
    for (const to of shownTo) sendTo(to, proposal);
  }

  function sendTo(to: number, frame: Frame): void {
    const peer = chain.committee.members[to]?.peerKey;
    if (peer) liar.send(peer, frame);
  }

  return {
    passes(_to, frame) {
      if (frame.name === 'proposal') return joinsIn && frame.value.block.view !== 2;
      return joinsIn && (frame.name !== 'consensus' || frame.value.confirmations.length === 0);
    },
    onFrame(frame) {
      if (frame.name !== 'consensus') return;
      for (const vote of frame.value.votes) {
        const { subject } = vote;
        if (subject.kind === 'nullify' && subject.view === 1) {
          void nullifies.add(vote).then((certificate) => certificate && propose(certificate));
        }
        if (subject.kind === 'notarize' && subject.blockId.join() === forkId) {
          void notarizes.add(vote).then((certificate) => {
            withheld ??= certificate;
          });
        }
        if (!withheld || subject.view < 3 || subject.kind !== 'notarize') continue;
        const shown = frameOf('consensus', { certificates: [withheld], votes: [], confirmations: [] });
        for (const { index } of chain.committee.members) sendTo(index, shown);
        withheld = undefined;
      }
    },
  };
}

export const certifiedThroughDescendant: Scenario = {
  name: 'trap-certified-through-descendant',
  about:
    'A block is certified because a descendant is final; a fork notarized in between is released late: no rule is broken.',
  onlySizes: [4],
  async play({ seed, random, cluster }) {
    const same = { seed: `descendant ${seed}`, consensus: { minBlockIntervalMs: 0 } };
    const attacker = cluster(same).leaderOf(2);
    const shownTo = [0, 1, 2, 3]
      .filter((member) => member !== attacker)
      .slice(random.below(2))
      .slice(0, 2);
    const made = cluster({
      ...same,
      network: { latency: constantLatency(FAST_MS) },
      byzantine: new Map([[attacker, intermediary((liar) => forkInView2(liar, shownTo))]]),
    });
    const { network, checks, peer, honest, until } = made;
    let proposed = false;
    const votedFor = new Set<string>();
    network.tap(({ from, frame }) => {
      const decoded = decodeFrame(frame);
      if (!decoded.ok) return;
      if (decoded.value.name === 'proposal') proposed = true;
      if (decoded.value.name !== 'consensus') return;
      if (decoded.value.value.votes.some(({ subject }) => subject.kind === 'notarize')) votedFor.add(from);
    });
    made.start();
    await until('view 1 has a proposal', () => proposed, 10_000);
    network.setAllLinks({ latency: constantLatency(SLOW_MS) });
    await until('all have voted for its block', () => votedFor.size === 4, 10_000);
    // Later messages cannot overtake those votes, which arrive with the Nullify votes.
    network.setAllLinks({ latency: constantLatency(FAST_MS) });
    const notarized = () =>
      checks.finality.notarizedIn(1) !== undefined && checks.finality.notarizedIn(2) !== undefined;
    await until('the block of view 1 and the fork of view 2 are notarized', notarized, 20_000);
    const certified = () => honest.every((member) => checks.finality.certifiedHeightOf(peer(member)) >= 1);
    await until('the block of view 1 is certified by all', certified, 20_000);
    await made.progress(5, 30_000, honest);
  },
};
