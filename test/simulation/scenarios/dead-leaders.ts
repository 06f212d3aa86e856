/** Rule 5b: views of leaders that are dead or blocked, and leaders that only look dead. */
import { assert } from '@slipstream/primitives';
import { uniformLatency } from '@slipstream/simulator';
import { view as asView, GENESIS_EPOCH, type View } from '@slipstream/types';
import { pickLiars } from '../attackers/attack-scenario.ts';
import { corrupted, frameOf, rewriteVotes, votesFrame } from '../attackers/corrupted.ts';
import { watchSkippedLeaders } from '../checkers/skipped-leaders.ts';
import type { Cluster, NodeCode } from '../harness/cluster.ts';
import type { Scenario, Stage } from '../scenario.ts';

const SKIP_AFTER_MS = 5_000;
const LATENCY_MS_MAX = 20;
/** The first node nullifies a delay before the last one enters the view; the certificate of all needs another one, and log syncs. */
const DEAD_VIEW_MS_MAX = 2 * LATENCY_MS_MAX + 15;
const TIMING = {
  consensus: { skipAfterMs: SKIP_AFTER_MS },
  network: { latency: uniformLatency(5, LATENCY_MS_MAX) },
  syncMs: 1,
} as const;
/** Timers have grown while views of leaders that are not known to be dead were lost. */
const KNOWN_WITHIN_MS = 2 * SKIP_AFTER_MS;

export const deadLeaders: Scenario = {
  name: 'dead-leaders',
  about:
    'As many validators as can be borne die: once that is known, a view of theirs costs two delays, and no other view is lost.',
  async play(stage) {
    const dead = pickLiars(stage, 'as-many-as-can-be-borne');
    const cluster = stage.cluster(TIMING);
    const alive = cluster.members.filter((member) => !dead.includes(member));
    cluster.start();
    await cluster.progress(stage.turns(1), 60_000);
    for (const member of dead) cluster.node(member).crash('lose-all');
    await cluster.run(KNOWN_WITHIN_MS);
    await checkViews(cluster, stage, alive);
  },
};

/** Like a node with a wrong key: the first quorum with its vote, or its first proposal, shows it. */
const signsWrongly: NodeCode = corrupted((liar) => {
  const wrong = (length: number) => liar.random.bytes(length);
  const votes = rewriteVotes((vote) => [{ ...vote, signature: wrong(vote.signature.length) }]);
  return async (frame, to) => {
    if (frame.name !== 'proposal') return votes(frame, to);
    return [frameOf('proposal', { ...frame.value, signature: wrong(frame.value.signature.length) })];
  };
});

export const blockedLeaders: Scenario = {
  name: 'blocked-leaders',
  about:
    'As many validators as can be borne sign wrongly and go on: once blocked, their views cost two delays, and no other is lost.',
  async play(stage) {
    const liars = pickLiars(stage, 'as-many-as-can-be-borne');
    const byzantine = new Map(liars.map((liar) => [liar, signsWrongly]));
    const cluster = stage.cluster({ ...TIMING, byzantine });
    const { checks, honest } = cluster;
    cluster.start();
    const isBlocked = (liar: number) => checks.blocking.blockedBy(liar).size === honest.length;
    await cluster.until('every honest validator blocks every liar', () => liars.every(isBlocked), 60_000);
    await cluster.progress(2, 10_000, honest);
    await checkViews(cluster, stage, honest);
  },
};

async function checkViews(cluster: Cluster, { turns }: Stage, alive: readonly number[]): Promise<void> {
  const watch = watchSkippedLeaders(cluster.simulation);
  const nullifiedBefore = new Set(cluster.checks.nullified.keys());
  await cluster.progress(turns(4), 60_000, alive);
  const isAlive = (view: number) => alive.includes(cluster.leaderOf(view));
  const lost = [...cluster.checks.nullified.keys()].filter((view) => !nullifiedBefore.has(view) && isAlive(view));
  assert(lost.length === 0, `no view of a leader that is there is lost (${lost})`);
  const slow = [...watch.durations(alive.map(cluster.peer))].filter(
    ([view, ms]) => !isAlive(view) && ms > DEAD_VIEW_MS_MAX,
  );
  assert(
    slow.length === 0,
    `views of dead leaders end at once: ${slow.map(([view, ms]) => `${view} took ${ms.toFixed(0)} ms`)}`,
  );
}

/** What a liar can do to make honest leaders look dead, or views end: keep back, delay, and nullify at once. */
type Trick = (stage: Stage, cluster: () => Cluster, liar: number) => NodeCode;

const TRICKS: readonly Trick[] = [
  // Nullifies every view of an honest leader at once, without contradicting itself.
  (_stage, cluster) =>
    corrupted((liar) => {
      const nullified = new Set<View>();
      const early = async (view: View) => {
        if (nullified.has(view) || !cluster().honest.includes(cluster().leaderOf(view))) return [];
        nullified.add(view);
        return [await liar.vote({ kind: 'nullify', epoch: GENESIS_EPOCH, view })];
      };
      return async (frame) => {
        if (frame.name !== 'consensus') return [frame];
        const votes = frame.value.votes.filter(({ subject }) => subject.kind !== 'finalize');
        const views = new Set(
          votes.filter(({ subject }) => subject.kind === 'notarize').map(({ subject }) => asView(subject.view + 1)),
        );
        const nullifies = (await Promise.all([...views].map(early))).flat();
        if (nullifies.length > 0) liar.broadcast(votesFrame(nullifies));
        return [
          frameOf('consensus', { ...frame.value, votes: votes.filter(({ subject }) => !nullified.has(subject.view)) }),
        ];
      };
    }),
  // Shows nothing but heartbeats to half of the others.
  ({ size }) => corrupted(() => async (frame, to) => (to * 2 < size && frame.name !== 'heartbeat' ? [] : [frame])),
  // Sends frames one by one, each late, so that it is never dead and never in time.
  ({ random }) =>
    corrupted(({ world }) => async (frame) => {
      await new Promise<void>((resolve) => void world.clock.after(100 + random.below(SKIP_AFTER_MS - 1_000), resolve));
      return [frame];
    }),
  // Sends one frame each time before it counts as dead.
  () =>
    corrupted(({ world }) => {
      let spokeMs = Number.NEGATIVE_INFINITY;
      return async (frame) => {
        const nowMs = world.clock.monotonicMs();
        if (nowMs - spokeMs < SKIP_AFTER_MS - 500) return [];
        spokeMs = nowMs;
        return [frame];
      };
    }),
];

export const leadersThatLookDead: Scenario = {
  name: 'leaders-that-look-dead',
  about:
    'Liars keep back, delay and nullify, and some validators get no frames of a leader: no view of a leader whose frames reach a quorum is lost.',
  async play(stage) {
    const { random, turns, size } = stage;
    const faulty = pickLiars(stage, 'as-many-as-can-be-borne');
    const deafCount = random.below(faulty.length + 1);
    const [deaf, liars] = [faulty.slice(0, deafCount), faulty.slice(deafCount)];
    const code = (liar: number): NodeCode => random.pick(TRICKS)(stage, () => cluster, liar);
    const cluster: Cluster = stage.cluster({ ...TIMING, byzantine: new Map(liars.map((liar) => [liar, code(liar)])) });
    const { honest, peer, network, checks, leaderOf } = cluster;
    const mute = random.below(size);
    cluster.mark(`liars ${liars}; frames of ${mute} do not reach ${deaf}`);
    const watch = watchSkippedLeaders(cluster.simulation);
    cluster.start();
    await cluster.progress(turns(1), 60_000, honest);
    for (const member of deaf) if (member !== mute) network.dropFrames(peer(mute), peer(member));
    await cluster.run(2 * SKIP_AFTER_MS);
    await cluster.progress(turns(4), 120_000, honest);
    const lost = [...checks.nullified].filter(([view]) => honest.includes(leaderOf(view)));
    // Rule 4a: a liar that shows its block to some costs the next view once.
    const most = stage.earlyVotes ? liars.length : 0;
    assert(lost.length <= most, `views of honest leaders are not lost (${lost.map(([view]) => view)})`);
    const wrong = watch.skips.filter(
      ({ leader, node }) => honest.includes(leader) && !deaf.map(peer).includes(node as never),
    );
    assert(wrong.length === 0, `validators that get a leader's frames do not skip it: ${JSON.stringify(wrong[0])}`);
  },
};

export const noQuorumActive: Scenario = {
  name: 'no-quorum-active',
  about:
    'All links fail for longer than skipAfterMs and heal one by one: a node to which no quorum was active skips no leader.',
  sizes: [4, 7],
  async play(stage) {
    const { random } = stage;
    const cluster = stage.cluster(TIMING);
    const { members, network, peer } = cluster;
    const watch = watchSkippedLeaders(cluster.simulation);
    cluster.start();
    await cluster.progress(stage.turns(2), 60_000);
    for (let round = 0; round < 3; round++) {
      network.partition(members.map((member) => [peer(member)]));
      await cluster.run(SKIP_AFTER_MS + random.below(SKIP_AFTER_MS));
      const late = random.below(members.length);
      const links = members.flatMap((a) => members.filter((b) => b > a).map((b) => [a, b] as const));
      const [others, ofLate] = [
        links.filter((link) => !link.includes(late)),
        links.filter((link) => link.includes(late)),
      ];
      for (const link of others) network.heal(peer(link[0]), peer(link[1]));
      await cluster.run(200 + random.below(SKIP_AFTER_MS - 2_000));
      for (const link of ofLate) network.heal(peer(link[0]), peer(link[1]));
      await cluster.healed();
      assert(watch.skips.length === 0, `no leader is skipped: ${JSON.stringify(watch.skips[0])}`);
    }
  },
};
