import { assert } from '@slipstream/primitives';
import { CRASH_MODES, constantLatency, uniformLatency } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import type { Scenario, Stage } from '../scenario.ts';

/** A block is notarized each 2 s, after all nullified its view; so nothing is final. */
const TIMERS = { leaderTimeoutMs: 700, viewTimeoutMs: 800, maxTimeoutMs: 800, idleBlockIntervalMs: 400 };
const LINKS_MS = 1000;

function watchNotarized({ simulation }: Cluster): () => number {
  let highest = 0;
  simulation.addChecker('notarized', (event) => {
    if (event.type !== 'note' || event.name !== 'report' || event.text !== 'block.notarized') return;
    const { fields } = event.data as { readonly fields: { readonly height?: number } };
    highest = Math.max(highest, fields.height ?? 0);
  });
  return () => highest;
}

interface Setting {
  readonly busy?: boolean;
  readonly consensus?: { readonly idleBlockIntervalMs: number };
}

async function play(
  { turns, random, cluster }: Stage,
  forMs: number,
  aheadBlocks: number,
  { busy = false, consensus }: Setting = {},
): Promise<void> {
  const made = cluster({ application: { busy, commitsCertified: true }, consensus: { ...TIMERS, ...consensus } });
  const { start, progress, healed, until, network, run, members, mark } = made;
  const notarized = watchNotarized(made);
  start();
  await progress(turns(1), 15_000);
  network.setAllLinks({ latency: constantLatency(LINKS_MS) });
  await run(forMs);
  mark('a power cut in between');
  const victims = random.chance(0.5) ? members : [random.pick(members)];
  for (const victim of victims) made.restart(victim, random.pick(CRASH_MODES));
  await run(20_000 + random.below(10_000));
  const goal = notarized() + turns(2);
  const ahead = notarized() - made.finalHeight();
  assert(ahead >= aheadBlocks, `blocks are notarized and not final (${ahead})`);
  mark('healed');
  network.setAllLinks({ latency: uniformLatency(1, 5) });
  await healed();
  await until('what was notarized, and more, is final', () => made.finalHeight() >= goal, 15_000);
}

export const linksSlowerThanTimers: Scenario = {
  name: 'links-slower-than-timers',
  about:
    'Links are slower than every timer: blocks are notarized and none is final, beyond the execution limit; then the next is.',
  play: (stage) => play(stage, 150_000, 64),
};

export const linksSlowerForLong: Scenario = {
  name: 'links-slower-for-long',
  about: 'Links are slower than every timer until notarized blocks exceed the limit of a node that catches up.',
  long: true,
  play: (stage) => play(stage, 560_000, 256),
};

const DAY_MS = 86_400_000;

export const linksSlowerAndIdleForLong: Scenario = {
  name: 'links-slower-and-idle-for-long',
  about:
    'Links are slower than every timer, on a chain with a block per day when idle: with transactions, it does not wait a day.',
  play: (stage) => play(stage, 150_000, 0, { busy: true, consensus: { idleBlockIntervalMs: DAY_MS } }),
};
