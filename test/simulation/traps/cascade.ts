import { assert } from '@slipstream/primitives';
import {
  type Block,
  blockIdOf,
  type Certificate,
  createLeaderSchedule,
  type Frame,
  GENESIS_EPOCH,
  height,
  hexOf,
  payloadRootOf,
  type Vote,
  view as viewOf,
} from '@slipstream/types';
import { collectVotes } from '../attackers/certificates.ts';
import { frameOf, type Liar } from '../attackers/corrupted.ts';
import { type Script, scripted } from '../attackers/scripted.ts';
import type { Scenario } from '../scenario.ts';

const MEMORY_VIEWS = 40;

/**
 * Sends its blocks to just enough others that its withheld vote would complete the notarization. All nullify the view. When the next
 * leader, after waiting with a child of the block, proposes again, the attacker sends the notarization, to one node; and so with each next
 * leader's block.
 */
function cascade(liar: Liar): Script {
  const { setting, random, self } = liar;
  const { committee, genesisHash, genesis } = setting.chain;
  const leaderOf = createLeaderSchedule(committee, genesisHash);
  const collection = collectVotes(liar, 'notarize');
  const blocks = new Map<string, Block>([[hexOf(blockIdOf(genesis)), genesis]]);
  const withheld = new Map<number, Certificate>();
  const known = new Map<number, Certificate>();
  let proposedIn = 0;
  let view = 1;
  let tip: Block = genesis;
  let justification: Certificate | undefined;

  const others = committee.members.filter(({ index }) => index !== self);

  async function gather(vote: Vote): Promise<void> {
    const certificate = await collection.add(vote);
    if (certificate) withheld.set(certificate.subject.view, certificate);
  }

  /** The next leader has stopped waiting: one node gets the certificate. */
  function release(of: number): void {
    const certificate = withheld.get(of);
    const to = random.pick(others).peerKey;
    if (certificate) liar.send(to, frameOf('consensus', { certificates: [certificate], votes: [], confirmations: [] }));
  }

  async function propose(): Promise<void> {
    if (proposedIn >= view || leaderOf(viewOf(view)) !== self) return;
    if (tip !== genesis && !justification) return;
    proposedIn = view;
    const block: Block = {
      epoch: GENESIS_EPOCH,
      view: viewOf(view),
      height: height(tip.height + 1),
      parentId: blockIdOf(tip),
      parentView: tip.view,
      timestampMs: Math.max(tip.timestampMs + 1, liar.world.clock.wallMs()),
      proposer: self,
      payload: [],
      payloadRoot: payloadRootOf([]),
      next: undefined,
    };
    const blockId = blockIdOf(block);
    blocks.set(hexOf(blockId), block);
    const nullifications: Certificate[] = [];
    for (let at = view - 1; at > tip.view; at--) {
      const certificate = known.get(at);
      if (certificate?.subject.kind === 'nullify') nullifications.push(certificate);
    }
    const signature = await liar.proposal('normal', block, blockId);
    const shown = justification ? [justification, ...nullifications] : nullifications;
    const faulty = Math.floor((committee.members.length - 1) / 3);
    const enough = committee.members.length - faulty - 1;
    const start = random.below(others.length);
    for (let i = 0; i < enough; i++) {
      const to = others[(start + i) % others.length]?.peerKey;
      if (to) liar.send(to, frameOf('proposal', { kind: 'normal', block, justification: shown, signature }));
    }
  }

  function learn(certificate: Certificate): void {
    const { subject } = certificate;
    view = Math.max(view, subject.view + 1);
    if (subject.kind === 'nullify') known.set(subject.view, certificate);
    else {
      const block = blocks.get(hexOf(subject.blockId));
      if (block && block.view > tip.view) {
        tip = block;
        justification = certificate;
      }
    }
    for (const views of [known, withheld])
      for (const at of views.keys()) if (at < view - MEMORY_VIEWS) views.delete(at);
  }

  function onFrame(frame: Frame): void {
    if (frame.name === 'proposal') {
      const { block, kind, justification: shown } = frame.value;
      blocks.set(hexOf(blockIdOf(block)), block);
      for (const certificate of shown) learn(certificate);
      if (kind === 'normal') release(block.view - 1);
    }
    if (frame.name !== 'consensus') return;
    for (const certificate of frame.value.certificates) learn(certificate);
    for (const { view: at } of frame.value.confirmations) release(at - 1);
    for (const vote of frame.value.votes) void gather(vote);
    void propose();
  }

  return { everyMs: 10, act: propose, onFrame };
}

/** Of honest leaders, per view of the attacker: the following one. */
const COST_MAX = 1;

export const cascadeTrap: Scenario = {
  name: 'trap-cascade',
  about:
    'An attacker releases withheld notarizations when each next leader times out: nullifications end (rules 3, 4).',
  async play({ size, turns, random, cluster }) {
    const attacker = random.below(size);
    const { start, progress, until, honest, checks, mark } = cluster({
      byzantine: new Map([[attacker, scripted(cascade)]]),
    });
    start();
    await progress(turns(8), 200_000, honest);
    const own = [...checks.nullified.values()].filter((leader) => leader === attacker).length;
    const lost = checks.nullified.size - own;
    mark(`${lost} views of honest leaders and ${own} of the attacker's were nullified`);
    assert(lost <= COST_MAX * own + 2, `a faulty leader costs its own view (${lost} others, ${own} of its own)`);
    await until('all are done', () => true, 1);
  },
};
