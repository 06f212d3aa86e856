/** A run is (scenario, committee size, seed). The seed decides everything random; two runs of one seed are equal to the last event. */
import { createRandom, type SeededRandom, uniformLatency } from '@slipstream/simulator';
import type { Outcomes } from './harness/calls/file.ts';
import { type Cluster, type ClusterOptions, createCluster } from './harness/cluster.ts';
import type { FaultGate } from './harness/trim.ts';

export interface Scenario {
  readonly name: string;
  /** The events, and checks beyond the constant ones. */
  readonly about: string;
  /** Of committees, unless sizes are asked for. Default: 4. */
  readonly sizes?: readonly number[];
  /** It is about these sizes: with others it means nothing. */
  readonly onlySizes?: readonly number[];
  /** In every run: the test depends on them. */
  readonly realBls?: boolean;
  /** `--scenario all` plays a tenth of the seeds. */
  readonly long?: boolean;
  /** Not plain numbers: a sweep's points. */
  readonly seedsOf?: (wanted: SeedRange) => readonly number[] | Promise<readonly number[]>;
  readonly play: (stage: Stage) => Promise<void>;
  /** Names its chance. Default: its name. */
  readonly seededBy?: string;
}

export interface SeedRange {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly long: boolean;
}

export interface Stage {
  readonly size: number;
  readonly seed: number;
  readonly random: SeededRandom;
  /** With equal weights. */
  readonly faultyMax: number;
  /** Of a scenario whose length is a choice; undefined: its own. */
  readonly views: number | undefined;
  /** Rule 4a is on. */
  readonly earlyVotes: boolean;
  /** Blocks, so that each member leads this often; in large committees fewer, at least once each. */
  turns(each: number): number;
  /** Of calls of an application, for those who wrote it. */
  report(outcomes: Outcomes): void;
  /** Default weights: 1 each. */
  cluster(options?: Partial<ClusterOptions>): Cluster;
}

export interface RunSetting {
  readonly seed: number;
  readonly size: number;
  readonly realBls: boolean;
  /** Default: the scenario's own. */
  readonly views?: number;
  /** Default: all faults happen. */
  readonly gate?: FaultGate;
  /** For each network, before it starts. */
  readonly onCluster?: (cluster: Cluster) => void;
}

export interface RunOutcome {
  readonly views: number;
  readonly virtualMs: number;
  readonly eventHash: string;
  readonly outcomes: Outcomes;
}

/** Frames of a view grow with the square of the committee (50 members: 0.5 s of CPU time; 100: 2 s); so many leaders show rotation. */
const TURNS_OF_SIZE_MAX = 16;

type ClusterTiming = Pick<ClusterOptions, 'consensus' | 'network' | 'syncMs'>;

/**
 * With an interval a leader proposes when the parent is long notarized; without, optimistically, so views overlap and certificates cross.
 */
const BLOCK_INTERVALS: readonly ClusterTiming[] = [
  { consensus: { minBlockIntervalMs: 100 }, network: { latency: uniformLatency(1, 5) }, syncMs: 0.1 },
  { consensus: { minBlockIntervalMs: 0 }, network: { latency: uniformLatency(5, 25) }, syncMs: 3 },
  { consensus: { minBlockIntervalMs: 30 }, network: { latency: uniformLatency(10, 40) }, syncMs: 1 },
];

/** Rule 4a is on in three seeds of five, with every interval. */
const EARLY_VOTE_VIEWS = [1, 1, 0, 0, 1] as const;

/** Rejects with the failure. */
export async function playScenario(scenario: Scenario, setting: RunSetting): Promise<RunOutcome> {
  const { size, seed } = setting;
  const name = `${scenario.seededBy ?? scenario.name}/${size}/${seed}`;
  const clusters: Cluster[] = [];
  let outcomes: Outcomes = {};
  const timing = BLOCK_INTERVALS[seed % BLOCK_INTERVALS.length] as ClusterTiming;
  const earlyVoteViews = EARLY_VOTE_VIEWS[seed % EARLY_VOTE_VIEWS.length] as number;
  const realBls = scenario.realBls === true || setting.realBls;
  await scenario.play({
    size,
    seed,
    random: createRandom(`scenario/${name}`),
    views: setting.views,
    faultyMax: Math.floor((size - 1) / 3),
    earlyVotes: earlyVoteViews > 0,
    turns: (each) => Math.max(size, each * Math.min(size, TURNS_OF_SIZE_MAX)),
    report(counted) {
      outcomes = counted;
    },
    cluster(options = {}) {
      const cluster = createCluster({
        seed: clusters.length === 0 ? name : `${name}/${clusters.length}`,
        weights: Array.from({ length: size }, () => 1),
        realBls,
        ...(timing.syncMs ? { syncMs: timing.syncMs } : {}),
        ...(setting.gate ? { gate: setting.gate } : {}),
        ...options,
        consensus: { ...timing.consensus, earlyVoteViews, ...options.consensus },
        network: { ...timing.network, ...options.network },
      });
      clusters.push(cluster);
      setting.onCluster?.(cluster);
      return cluster;
    },
  });
  return {
    outcomes,
    views: clusters.reduce((sum, { checks }) => sum + checks.counts.views, 0),
    virtualMs: clusters.reduce((sum, { simulation }) => sum + simulation.nowMs, 0),
    eventHash: clusters.map(({ simulation }) => simulation.eventHash()).join('-'),
  };
}
