import { assert } from '@slipstream/primitives';
import { CRASH_MODES, type SeededRandom, uniformLatency } from '@slipstream/simulator';
import { type Speed, watchSpeed } from '../checkers/speed.ts';
import type { Cluster } from '../harness/cluster.ts';
import { WAL_FOLDER } from '../harness/validator.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** Little jitter, so that means are comparable. */
const LATENCIES = [uniformLatency(1, 3), uniformLatency(12, 16), uniformLatency(25, 32)] as const;
const FAULTS_MAX = 3;
const FAULT_MS_MAX = 12_000;
/** Longest timers, signing-history query, catching up. */
const SETTLED_MS = 20_000;
const TURNS = 15;
/** By chance such means differ as much without faults. */
const SLOWER_FACTOR = 1.12;
const SLOWER_MS = 4;
const LOG_BYTES_MORE = 64 * 1024;

interface Staged {
  readonly cluster: Cluster;
  readonly random: SeededRandom;
  readonly latency: (typeof LATENCIES)[number];
}

/** Returns the fault's end. */
type Fault = (staged: Staged, victim: number) => () => void;

const FAULTS: Readonly<Record<string, Fault>> = {
  pause({ cluster }, victim) {
    cluster.node(victim).pause();
    return () => cluster.node(victim).resume();
  },
  crash({ cluster: { node }, random }, victim) {
    node(victim).crash(random.pick(CRASH_MODES));
    return () => startAgain(node(victim));
  },
  'crash while it catches up'({ cluster, random }, victim) {
    const { node, simulation } = cluster;
    node(victim).crash(random.pick(CRASH_MODES));
    return () => {
      startAgain(node(victim));
      simulation.schedule(random.below(1_500), () => {
        node(victim).crash(random.pick(CRASH_MODES));
        startAgain(node(victim));
      });
    };
  },
  'crash of all'({ cluster: { node, members }, random }) {
    for (const member of members) node(member).crash(random.pick(CRASH_MODES));
    return () => {
      for (const member of members) startAgain(node(member));
    };
  },
  clock({ cluster, random }, victim) {
    const offMs = random.pick([800, 5_000, 600_000]);
    cluster.node(victim).setClock(random.chance(0.5) ? offMs : -offMs);
    return () => cluster.node(victim).setClock(0);
  },
  'slow disk'({ cluster, random }, victim) {
    cluster.slowDisk(victim, 20 + random.below(800));
    return () => cluster.slowDisk(victim, undefined);
  },
  'full disk'({ cluster: { checks, node, peer }, random }, victim) {
    checks.mayExit(peer(victim));
    node(victim).disk.failWhen(({ operation }) => (operation === 'write' ? 'no-space' : undefined));
    return () => {
      node(victim).disk.failWhen(undefined);
      if (node(victim).alive) return;
      node(victim).crash(random.pick(CRASH_MODES));
      startAgain(node(victim));
    };
  },
  'outbound loss'({ cluster: { network, members, peer }, random }, victim) {
    for (const other of members)
      if (other !== victim && random.chance(0.7)) network.dropFrames(peer(victim), peer(other));
    return () => network.healAll();
  },
  'inbound loss'({ cluster: { network, members, peer }, random }, victim) {
    for (const other of members)
      if (other !== victim && random.chance(0.7)) network.dropFrames(peer(other), peer(victim));
    return () => network.healAll();
  },
  halves({ cluster: { network, members, peer }, random }) {
    const order = [...members].sort(() => random.unit() - 0.5).map(peer);
    const at = 1 + random.below(order.length - 1);
    network.partition([order.slice(0, at), order.slice(at)]);
    return () => network.healAll();
  },
  'slow links of one'({ cluster: { network, members, peer }, random, latency }, victim) {
    const slow = uniformLatency(50, 100 + random.below(1_500));
    const set = (to: typeof slow) => {
      for (const other of members.filter((member) => member !== victim)) {
        network.setLink(peer(victim), peer(other), { latency: to });
        network.setLink(peer(other), peer(victim), { latency: to });
      }
    };
    set(slow);
    return () => set(latency);
  },
  'slow links'({ cluster: { network }, random, latency }) {
    network.setAllLinks({ latency: uniformLatency(50, 100 + random.below(1_500)) });
    return () => network.setAllLinks({ latency });
  },
  loss({ cluster: { network }, random }) {
    network.setAllLinks({ lossRate: 0.05 + 0.5 * random.unit() });
    return () => network.setAllLinks({ lossRate: 0 });
  },
};

function startAgain(node: ReturnType<Cluster['node']>): void {
  if (!node.alive) node.start();
}

async function play(stage: Stage): Promise<void> {
  const { seed, size, random, turns, cluster: make } = stage;
  const latency = LATENCIES[seed % LATENCIES.length] as Staged['latency'];
  const cluster = make({ network: { latency }, observers: 1 });
  const speeds = watchSpeed(cluster.simulation);
  const all = cluster.nodes.map((_, index) => index);

  async function measure(): Promise<Speed> {
    const heights = all.map((index) => cluster.finalHeight([index]));
    const from = Math.max(...heights);
    const to = from + turns(TURNS);
    await cluster.until(`height ${to} final`, () => cluster.finalHeight(all) >= to, 120_000);
    return speeds.between(
      from,
      to,
      cluster.nodes.map(({ peer }) => peer),
    );
  }

  cluster.start();
  await cluster.progress(turns(3), 30_000, all);
  const before = await measure();
  const logBefore = logBytes(cluster);
  await playFaults({ cluster, random, latency }, size);
  cluster.mark('no more faults');
  await cluster.healed();
  await cluster.run(SETTLED_MS);
  const after = await measure();
  cluster.mark(`before ${JSON.stringify(before)}, after ${JSON.stringify(after)}`);
  for (const what of ['intervalMs', 'slowestLeaderMs', 'finalMs'] as const) {
    const most = before[what] * SLOWER_FACTOR + SLOWER_MS;
    assert(after[what] <= most, `as fast as before: ${what} ${after[what].toFixed(1)}, was ${before[what].toFixed(1)}`);
  }
  assert(before.lostViews === 0, `no view is lost before (${before.lostViews})`);
  assert(after.lostViews === 0, `no view is lost any more (${after.lostViews})`);
  const logAfter = logBytes(cluster);
  assert(logAfter <= logBefore * 2 + LOG_BYTES_MORE, `logs do not grow: ${logAfter} bytes, were ${logBefore}`);
}

/** They start one after another and end in random order. */
async function playFaults(staged: Staged, size: number): Promise<void> {
  const { cluster, random } = staged;
  const ends: (() => void)[] = [];
  for (let count = 1 + random.below(FAULTS_MAX); count > 0; count--) {
    const name = random.pick(Object.keys(FAULTS));
    const victim = random.below(size);
    cluster.mark(`${name} (${victim})`);
    ends.push((FAULTS[name] as Fault)(staged, victim));
    await cluster.run(random.below(FAULT_MS_MAX));
  }
  for (const end of ends.sort(() => random.unit() - 0.5)) {
    end();
    await cluster.run(random.below(2_000));
  }
}

function logBytes({ nodes }: Cluster): number {
  return Math.max(
    ...nodes.map(({ disk }) =>
      disk
        .paths()
        .filter((path) => path.startsWith(WAL_FOLDER))
        .reduce((sum, path) => sum + (disk.contents(path)?.length ?? 0), 0),
    ),
  );
}

export const asFastAsBefore: Scenario = {
  name: 'as-fast-as-before',
  about:
    'Up to three faults at once, of a process, clock, disk or links: later, the chain is as fast as before, at every leader.',
  play,
};
