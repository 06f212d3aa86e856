/** What other systems lost at the end of an epoch (rule 10). */
import { assert, toHex } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import { decodeFrame } from '@slipstream/types';
import { holdFinality } from '../attackers/held-finality.ts';
import type { Cluster } from '../harness/cluster.ts';
import { restoreImage, takeImage } from '../harness/disk-image.ts';
import type { Scenario } from '../scenario.ts';
import { COMMITTED_LATE } from '../scenarios/boundary-crashes.ts';
import { epochOf, untilEpoch } from '../scenarios/epochs.ts';

const SEALS_EVERY = 2;
/** 8 blocks above the seal. */
const BOUNDARY = SEALS_EVERY + 8;
const application = { sealsEvery: SEALS_EVERY, ...COMMITTED_LATE } as const;
const consensus = { historyQueryMs: 100 } as const;

const from = (first: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => first + at);

/** Within the event in which so many nodes have delivered the end of epoch 0. */
function atEnd({ simulation }: Cluster, nodes: number, action: () => void): void {
  const ended = new Set<string>();
  simulation.addChecker('the end of the epoch', (event) => {
    if (event.type !== 'note' || event.name !== 'report' || event.text !== 'epoch.closed') return;
    if (ended.size < nodes && ended.add(event.node).size === nodes) action();
  });
}

export const crashBeforeLast: Scenario = {
  name: 'trap-crash-before-last',
  about:
    'All lose power and unsynced bytes while the last block of an epoch is final and in no ledger yet: the next epoch has its root.',
  async play({ size, turns, random, cluster: create }) {
    const cluster = create({ application, consensus });
    const { members, node, simulation, mark } = cluster;
    let crashed = false;
    atEnd(cluster, 1 + random.below(size), () => {
      for (const member of members) node(member).crash('lose-all');
      mark('power cut at the end of the epoch');
      simulation.schedule(random.below(50), () => cluster.start());
      crashed = true;
    });
    cluster.start();
    await untilEpoch(cluster, 1, 60_000);
    assert(crashed, 'the power cut came first');
    await cluster.progress(turns(1), 60_000);
  },
};

export const oldViewNewEpoch: Scenario = {
  name: 'trap-old-view-new-epoch',
  about:
    'A boundary becomes final only by a filler some views above it, and all restart: the next epoch begins one view above the boundary, not above the filler.',
  async play({ size, turns, random, cluster: create }) {
    const hold = holdFinality(0);
    const cluster = create({ application, consensus, code: hold.around() });
    const { members, node, network, mark } = cluster;
    const firstViews = new Set<number>();
    network.tap(({ frame }) => {
      const decoded = decodeFrame(frame);
      if (!decoded.ok || decoded.value.name !== 'consensus') return;
      for (const { subject } of decoded.value.value.votes) if (subject.epoch === 1) firstViews.add(subject.view);
    });
    const viewOf = (member: number) => node(member).running?.consensus?.status().view ?? 0;
    cluster.start();
    await cluster.until('fillers', () => members.every((member) => viewOf(member) >= hold.boundaryView + 4), 60_000);
    atEnd(cluster, size, () => {
      for (const member of members) cluster.restart(member, random.pick(CRASH_MODES));
      mark('all restart at the end of the epoch');
    });
    mark('finality returns');
    hold.release();
    await untilEpoch(cluster, 1, 60_000);
    await cluster.progress(turns(1), 60_000);
    const { boundaryView } = hold;
    assert(firstViews.has(boundaryView + 1), `epoch 1 begins with view ${boundaryView + 1}`);
    assert(Math.min(...firstViews) === boundaryView + 1, `no view up to ${boundaryView} is of epoch 1`);
  },
};

/** Votes and proposals that left a node, by signature: their epoch. */
function collectSigned({ network, peer }: Cluster, member: number): Map<string, number> {
  const signed = new Map<string, number>();
  network.tap(({ from: sender, frame }) => {
    const decoded = sender === peer(member) ? decodeFrame(frame) : undefined;
    if (!decoded?.ok) return;
    if (decoded.value.name === 'proposal') {
      const { block, signature } = decoded.value.value;
      signed.set(toHex(signature), block.epoch);
    } else if (decoded.value.name === 'consensus') {
      for (const { subject, signature } of decoded.value.value.votes) signed.set(toHex(signature), subject.epoch);
    }
  });
  return signed;
}

export const staleLeaver: Scenario = {
  name: 'trap-stale-leaver',
  about:
    'A validator that has left is started from a copy of its folder in which it is a member: it signs nothing, and follows to the newest epoch.',
  async play({ size, turns, random, cluster: create }) {
    const cluster = create({
      application,
      consensus,
      observers: 1,
      committees: () => from(1, size),
    });
    const { node, peer, checks, mark } = cluster;
    const staying = from(1, size);
    const signed = collectSigned(cluster, 0);
    cluster.start();
    await cluster.progress(1 + random.below(BOUNDARY - 2), 30_000);
    const image = await takeImage(node(0));
    await cluster.run(20); // what is in its log leaves
    const before = new Set(signed.keys());
    await untilEpoch(cluster, 1 + random.below(3), 120_000, staying);
    // Else an unsynced end may be lost, and epoch 0 goes on.
    const committed = (index: number) => node(index).running?.consensus?.status().committedHeight ?? 0;
    await cluster.until(
      'the end is in their ledgers',
      () => staying.every((index) => committed(index) > BOUNDARY),
      60_000,
    );
    await cluster.progress(1 + random.below(turns(1)), 60_000, staying);
    node(0).crash('lose-none');
    await restoreImage(node(0), image);
    checks.filesLost(peer(0));
    signed.clear();
    const goal = cluster.finalHeight(staying);
    if (random.below(2) === 0) {
      mark('the others restart, too');
      for (const other of staying) cluster.restart(other, random.pick(CRASH_MODES));
    }
    node(0).start();
    const heightOf = () => node(0).running?.consensus?.finalizedHeight() ?? 0;
    await cluster.until('it follows', () => heightOf() >= goal, 60_000);
    await cluster.progress(turns(1), 60_000, [0, ...staying]);
    // What its log holds may be sent again.
    const fresh = [...signed].filter(([signature]) => !before.has(signature));
    assert(fresh.length === 0, `it has signed nothing (epochs ${fresh.map(([, epoch]) => epoch)})`);
  },
};

export const upDownUp: Scenario = {
  name: 'trap-up-down-up',
  about:
    'A validator leaves, loses power while it is none, and is a member again an epoch later: it signs in the epochs that it is a member of, and in no other.',
  async play({ size, turns, random, cluster: create }) {
    const cluster = create({
      application,
      consensus,
      observers: 1,
      committees: (epoch) => from(epoch % 2, size),
    });
    const { node, mark } = cluster;
    const signed = collectSigned(cluster, 0);
    const epochs = () => new Set(signed.values());
    const others = from(1, size);
    cluster.start();
    await untilEpoch(cluster, 1, 60_000);
    node(0).crash(random.pick(CRASH_MODES));
    const isLate = random.below(2) === 0;
    mark(`it starts again ${isLate ? 'as a member' : 'before it is one'}`);
    if (isLate) await untilEpoch(cluster, 2, 120_000, others);
    else await cluster.run(random.below(300));
    cluster.start([0]);
    await cluster.until('it votes again', () => epochs().has(2) || epochOf(cluster, 1) > 2, 120_000);
    await cluster.progress(turns(1), 60_000, [0, ...others]);
    const odd = [...epochs()].filter((epoch) => epoch % 2 === 1);
    assert(odd.length === 0, `it has signed in epochs ${odd}, where it is no member`);
  },
};
