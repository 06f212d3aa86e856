/**
 * A copy of a folder that was taken at the end of an epoch, started while a quorum of that epoch has not learned the end (H4).
 *
 *   0, 1 and the joiner: epoch 1, a quorum of it; 2 and 3: epoch 0, and with the copy of 0 a quorum of it
 */
import type { Transport } from '@slipstream/ports';
import { assert, toHex } from '@slipstream/primitives';
import { type ConsensusFrame, decodeFrame, encodeFrame, type Frame, type Subject } from '@slipstream/types';
import type { Cluster, NodeCode } from '../harness/cluster.ts';
import { type DiskImage, restoreImage, takeImage } from '../harness/disk-image.ts';
import { startValidator } from '../harness/validator.ts';
import type { Scenario } from '../scenario.ts';
import { COMMITTED_LATE } from '../scenarios/boundary-crashes.ts';
import { epochOf, untilEpoch } from '../scenarios/epochs.ts';

const COPIED = 0;
const STUCK = [2, 3] as const;
const JOINER = 4;
const NEXT = [0, 1, 2, JOINER] as const;
/** The end of an epoch is in no ledger when the folder is copied. */
const application = { sealsEvery: 2, ...COMMITTED_LATE } as const;
const consensus = { historyQueryMs: 100 } as const;

interface Hold {
  isOn: boolean;
  boundaryView: number;
}

/**
 * Members of epoch 0 that do not learn that it has ended. One has helped to make the boundary final, and gets no other Finalize; the other has
 * not seen it: else the copy would have a quorum's Finalize again.
 */
function stuck(hold: Hold, sees: (peer: string) => 'boundary' | 'nothing' | undefined): NodeCode {
  return (world, setting) => {
    const { transport } = world;
    const isAbove = ({ epoch, view }: Pick<Subject, 'epoch' | 'view'>) =>
      epoch > 0 || view > hold.boundaryView || (view === hold.boundaryView && sees(transport.self) === 'nothing');
    const ends = (subject: Subject) =>
      isAbove(subject) ||
      (subject.view === hold.boundaryView && (subject.kind === 'finalize' || subject.kind === 'certify'));
    const wire: Transport = {
      ...transport,
      self: transport.self,
      onFrame(handler) {
        transport.onFrame((sender, lane, bytes) => {
          const decoded = hold.isOn && sees(transport.self) !== undefined ? decodeFrame(bytes) : undefined;
          if (!decoded?.ok) return handler(sender, lane, bytes);
          const { name, value } = decoded.value;
          if (name === 'heartbeat' && value.epoch > 0) return;
          if (name === 'proposal' && isAbove(value.block)) return;
          if (name !== 'consensus') return handler(sender, lane, bytes);
          handler(sender, lane, encodeFrame('consensus', without(value, ends)));
        });
      },
    };
    return startValidator({ ...world, transport: wire }, setting);
  };
}

function without({ votes, certificates, confirmations }: ConsensusFrame, ends: (subject: Subject) => boolean) {
  return {
    votes: votes.filter(({ subject }) => !ends(subject)),
    certificates: certificates.filter(({ subject }) => !ends(subject)),
    confirmations,
  };
}

/** Votes and proposals of the copied validator in epoch 1, by signature; and the view of the boundary. */
function watch({ network, peer }: Cluster, hold: Hold): Set<string> {
  const signed = new Set<string>();
  network.tap(({ from, frame }) => {
    const decoded = decodeFrame(frame);
    if (!decoded.ok) return;
    if (decoded.value.name === 'proposal') {
      const { block } = decoded.value.value;
      if (block.next !== undefined && block.epoch === 0) hold.boundaryView = Math.min(hold.boundaryView, block.view);
    }
    if (from === peer(COPIED)) for (const signature of signedInNext(decoded.value)) signed.add(signature);
  });
  return signed;
}

/** Peers that have received a message which the copied validator signed in epoch 1. */
function watchReceivers({ simulation, peer }: Cluster): Set<string> {
  const receivers = new Set<string>();
  simulation.addChecker('receivers', (event) => {
    if (event.type !== 'frame-delivered' || event.from !== peer(COPIED)) return;
    const decoded = decodeFrame(event.frame);
    if (decoded.ok && signedInNext(decoded.value).length > 0) receivers.add(event.to);
  });
  return receivers;
}

function signedInNext({ name, value }: Frame): readonly string[] {
  if (name === 'proposal') return value.block.epoch === 1 ? [toHex(value.signature)] : [];
  if (name !== 'consensus') return [];
  return value.votes.filter(({ subject }) => subject.epoch === 1).map(({ signature }) => toHex(signature));
}

export const copyOverBoundary: Scenario = {
  name: 'trap-copy-over-boundary',
  about:
    'A validator has signed in the next epoch and is started from a copy without it, while others are still in the epoch before and allow it to sign: it asks again when it moves, and signs nothing there.',
  onlySizes: [4],
  async play({ turns, random, cluster: create }) {
    const hold: Hold = { isOn: true, boundaryView: Number.POSITIVE_INFINITY };
    const held = new Map<string, 'boundary' | 'nothing'>();
    const code = stuck(hold, (of) => held.get(of));
    const cluster = create({ application, consensus, observers: 1, committees: () => NEXT, code });
    const { node, peer, checks, network, simulation, mark } = cluster;
    held.set(peer(STUCK[0]), 'boundary').set(peer(STUCK[1]), 'nothing');
    const signed = watch(cluster, hold);
    const receivers = watchReceivers(cluster);
    let image: Promise<DiskImage> | undefined;
    simulation.addChecker('the copy', (event) => {
      const ends = event.type === 'note' && event.name === 'report' && event.text === 'epoch.closed';
      if (!ends || event.node !== peer(COPIED) || image !== undefined) return;
      image = takeImage(node(COPIED));
      for (const each of STUCK) network.dropFrames(peer(COPIED), peer(each));
    });
    cluster.start();
    await untilEpoch(cluster, 1, 60_000, [COPIED, 1, JOINER]);
    await cluster.until('it has signed in epoch 1', () => signed.size > 2, 60_000);
    // What no node received, no node can contradict.
    const isKnown = () => [1, JOINER].every((each) => receivers.has(peer(each)));
    await cluster.until('the members of epoch 1 know what it signed', isKnown, 60_000);
    assert(image !== undefined, 'the folder was copied at the end of epoch 0');
    node(COPIED).crash('lose-none');
    await restoreImage(node(COPIED), await image);
    checks.filesLost(peer(COPIED));
    checks.mayExit(peer(COPIED));
    signed.clear();
    network.healAll();
    for (const each of [1, JOINER]) network.cut(peer(COPIED), peer(each));
    node(COPIED).start();
    const signing = () => node(COPIED).running?.consensus?.signing()?.state === 'signing';
    await cluster.until('the members in epoch 0 allow it to sign', () => signing() || !node(COPIED).alive, 10_000);
    assert(node(COPIED).alive, `they know of no other message (${node(COPIED).exitReason})`);
    assert(
      STUCK.every((each) => epochOf(cluster, each) === 0),
      'they have not moved',
    );
    mark('the others learn the end');
    hold.isOn = false;
    await untilEpoch(cluster, 1, 60_000, [COPIED, ...STUCK]);
    await cluster.run(random.below(2_000));
    mark('it reaches the nodes that know what it signed');
    network.healAll();
    await cluster.progress(turns(1), 60_000, [1, 2, JOINER]);
    // Later epochs, which its earlier life did not reach, may begin first: there it may sign.
    assert(signed.size === 0, `it has signed nothing in epoch 1 (${signed.size})`);
    const { alive, exitReason } = node(COPIED);
    assert(alive || exitReason?.includes('older copy'), `it says why it stops (${exitReason})`);
  },
};
