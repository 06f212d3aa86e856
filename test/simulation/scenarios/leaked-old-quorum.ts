import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import {
  epoch as asEpoch,
  view as asView,
  type Block,
  blockIdOf,
  type Certificate,
  type Committee,
  type Frame,
  height,
  type Subject,
  subjectMessage,
  type Vote,
} from '@slipstream/types';
import { corrupted, frameOf, type Liar } from '../attackers/corrupted.ts';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario } from '../scenario.ts';
import { epochOf, untilEpoch } from './epochs.ts';

const EVERY_MS = 40;
const VIEWS_ABOVE = 3;

/** Of an epoch that is over, with the keys of all of its members. */
interface LeakedKeys {
  readonly cluster: Cluster;
  committeeOf(epoch: number): Committee;
  keyOf(epoch: number, member: number): number;
}

async function votesOf({ cluster, committeeOf, keyOf }: LeakedKeys, subject: Subject): Promise<readonly Vote[]> {
  const { chain, scheme } = cluster;
  const message = subjectMessage(chain.genesisHash, subject);
  return Promise.all(
    committeeOf(subject.epoch).members.map(async ({ index }) => {
      const [signature] = await scheme.signer(keyOf(subject.epoch, index)).sign([message]);
      return { subject, signer: index, signature: signature as Uint8Array };
    }),
  );
}

/** Valid, by the keys of its epoch. */
async function certificateOf(leaked: LeakedKeys, subject: Subject): Promise<Certificate> {
  const votes = await votesOf(leaked, subject);
  const { chain, scheme } = leaked.cluster;
  const { aggregate } = await scheme.verifier.checkQuorum({
    epoch: subject.epoch,
    message: subjectMessage(chain.genesisHash, subject),
    votes: votes.map(({ signer, signature }) => ({ signer, signature, verified: false })),
  });
  assert(aggregate !== undefined, 'leaked keys sign well');
  return { subject, signers: votes.map(({ signer }) => signer), aggregate } as Certificate;
}

/** Another end of the epoch, and votes in the views that the present epoch is in. */
async function forgeries(leaked: LeakedKeys, liar: Liar, boundary: Block, viewNow: number): Promise<readonly Frame[]> {
  const { epoch } = boundary;
  const rival: Block = { ...boundary, timestampMs: boundary.timestampMs + 1 };
  const blockId = blockIdOf(rival);
  const above = height(boundary.height + 1 + liar.random.below(200));
  const stateDigest = liar.random.bytes(32) as never;
  const inView = asView(viewNow + liar.random.below(VIEWS_ABOVE));
  const subjects: readonly Subject[] = [
    { kind: 'notarize', epoch, view: rival.view, blockId },
    { kind: 'finalize', epoch, view: rival.view, blockId },
    { kind: 'finalize', epoch, view: inView, blockId },
    { kind: 'nullify', epoch, view: inView },
    { kind: 'certify', epoch, view: inView, height: above, blockId, stateDigest },
  ];
  const subject = liar.random.pick(subjects);
  const certificate = await certificateOf(leaked, subject);
  const heartbeat = { view: inView, finalizedHeight: above, committedHeight: above, refusedView: 0 };
  return [
    frameOf('consensus', { votes: [], certificates: [certificate], confirmations: [] }),
    frameOf('heartbeat', { ...heartbeat, epoch: asEpoch(liar.random.below(2) === 0 ? epoch : epoch + 50) }),
  ];
}

export const leakedOldQuorum: Scenario = {
  name: 'leaked-old-quorum',
  about:
    'A member has all keys of a committee whose epoch is over: another boundary, certificates and served ranges signed with them move no node, not even one that restarted.',
  sizes: [4, 7],
  async play({ size, turns, random, cluster: create }) {
    const nodes = Array.from({ length: 2 * size }, (_, index) => index);
    const membersIn = (epoch: number) => nodes.slice(Math.min(epoch, size), Math.min(epoch, size) + size);
    /** In the committee at last. */
    const liarIndex = 2 * size - 1;
    let forgesIn: number | undefined;
    let forged = 0;
    const code = corrupted((liar) => {
      const { clock, transport } = liar.world;
      const lie = async () => {
        const boundary = forgesIn === undefined ? undefined : liar.boundaryOf(forgesIn);
        if (boundary !== undefined) {
          const viewNow = cluster.node(size).running?.consensus?.status().view ?? 0;
          for (const frame of await forgeries(leaked, liar, boundary, viewNow)) {
            forged++;
            for (const { peer, connected } of transport.peers()) if (connected) liar.send(peer, frame);
          }
        }
        clock.after(EVERY_MS, () => void lie());
      };
      clock.after(EVERY_MS, () => void lie());
      return async (frame) => {
        const boundary = forgesIn === undefined ? undefined : liar.boundaryOf(forgesIn);
        if (frame.name !== 'syncResponse' || boundary === undefined || frame.value.certificates.length === 0)
          return [frame];
        const last = frame.value.blocks.at(-1) ?? boundary;
        const rival: Block = { ...last, epoch: boundary.epoch, timestampMs: last.timestampMs + 1 };
        const subject = { kind: 'finalize', epoch: rival.epoch, view: rival.view, blockId: blockIdOf(rival) } as const;
        const blocks = [...frame.value.blocks.slice(0, -1), rival];
        return [
          frameOf('syncResponse', { ...frame.value, blocks, certificates: [await certificateOf(leaked, subject)] }),
        ];
      };
    });
    const cluster = create({
      application: { sealsEvery: 1 },
      observers: size,
      committees: membersIn,
      byzantine: new Map([[liarIndex, code]]),
    });
    const leaked: LeakedKeys = {
      cluster,
      committeeOf: (epoch) => ({ ...cluster.chain.committee, epoch: asEpoch(epoch) }),
      keyOf: (epoch, member) => membersIn(epoch)[member] as number,
    };
    const honest = nodes.filter((index) => index !== liarIndex);
    cluster.start();
    await untilEpoch(cluster, size, 600_000, honest);
    forgesIn = random.below(size);
    cluster.mark(`the keys of epoch ${forgesIn} leak`);
    for (let round = 0; round < 3; round++) {
      await cluster.progress(1 + random.below(turns(1)), 60_000, honest);
      cluster.restart(random.pick(honest), random.pick(CRASH_MODES));
    }
    const newest = epochOf(cluster, size);
    await cluster.progress(turns(2), 120_000, honest);
    await untilEpoch(cluster, newest, 60_000, honest);
    assert(forged > 0, 'the liar has forged');
  },
};
