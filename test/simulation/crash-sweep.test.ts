import { toHex } from '@slipstream/primitives';
import { expect, it } from 'vitest';
import type { Cluster } from './harness/cluster.ts';
import { play } from './runs.ts';
import { playScenario } from './scenario.ts';
import { BOUNDARY_EVENTS_MAX, boundaryCrashSweep } from './scenarios/boundary-crashes.ts';
import { EVENTS_MAX } from './scenarios/crash-sweep.ts';

/** The event varies fastest: one point of each node, and again with early votes. */
const HALF = 32;
const BOUNDARY_HALF = 40;

it.each([0, 1, 2, 3, HALF, HALF + 1, HALF + 2, HALF + 3])(
  'the crash sweep covers the last events of each member: point %i from the end',
  async (variant) => {
    const seed = variant * EVENTS_MAX + EVENTS_MAX - 1;
    expect((await play({ scenario: 'crash-sweep', size: 4, seed, realBls: false })).failure).toBeUndefined();
  },
);

it.each([0, 1, 2, 3, 4, BOUNDARY_HALF, BOUNDARY_HALF + 1, BOUNDARY_HALF + 2, BOUNDARY_HALF + 3, BOUNDARY_HALF + 4])(
  'the crash sweep over a boundary covers the last events of each node: point %i from the end',
  async (variant) => {
    const seed = variant * BOUNDARY_EVENTS_MAX + BOUNDARY_EVENTS_MAX - 1;
    expect((await play({ scenario: 'boundary-crash-sweep', size: 4, seed, realBls: false })).failure).toBeUndefined();
  },
);

/** Of a run, as far as a crash can change it: each frame, with its time. */
async function framesOf(seed: number): Promise<readonly string[]> {
  const frames: string[] = [];
  const onCluster = ({ simulation }: Cluster) =>
    simulation.addChecker('frames', (event, { nowMs }) => {
      if (event.type === 'frame-delivered') frames.push(`${nowMs} ${event.to} ${toHex(event.frame)}`);
    });
  await playScenario(boundaryCrashSweep, { size: 4, seed, realBls: false, onCluster });
  return frames;
}

it('a whole sweep leaves out only what equals another point', async () => {
  const NODES = 5;
  const seeds = (await boundaryCrashSweep.seedsOf?.({ firstSeed: 1, seeds: 1, long: true })) ?? [];
  const swept = new Set(seeds);
  const eventOf = (seed: number) => seed % BOUNDARY_EVENTS_MAX;
  const withoutLoss = seeds.filter((seed) => seed < NODES * BOUNDARY_EVENTS_MAX);
  const losing = NODES * BOUNDARY_EVENTS_MAX;
  const nothingToLose = withoutLoss.filter((seed) => !swept.has(seed + losing));
  const beforeReport = withoutLoss
    .map((seed) => seed - 1)
    .filter((seed) => !swept.has(seed) && eventOf(seed) < BOUNDARY_EVENTS_MAX - 1);
  expect(nothingToLose.length).toBeGreaterThan(10);
  expect(beforeReport.length).toBeGreaterThan(10);
  for (const at of [1, 0.5, 0.9]) {
    const lossless = nothingToLose[Math.ceil(at * nothingToLose.length) - 1] as number;
    expect(await framesOf(lossless + losing)).toEqual(await framesOf(lossless));
    const early = beforeReport[Math.ceil(at * beforeReport.length) - 1] as number;
    expect(await framesOf(early)).toEqual(await framesOf(early + 1));
  }
});
