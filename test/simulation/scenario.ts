/**
 * Scenarios: what happens to a simulated network, and what must be true all the same.
 *
 * A run is (scenario, committee size, seed). The seed decides everything that chance decides; two runs of one seed are equal to
 * the last event.
 */
import { createRandom, type SeededRandom, uniformLatency } from '@slipstream/simulator';
import { type Cluster, type ClusterOptions, createCluster } from './harness/cluster.ts';
import type { FaultGate } from './harness/trim.ts';

export interface Scenario {
  readonly name: string;
  /** One sentence: what happens, and what is checked beyond the checkers that always run. */
  readonly about: string;
  /** Committee sizes other than those asked for: for scenarios that make sense for these alone. */
  readonly sizes?: readonly number[];
  /** Real signatures in every run: what is tested rests on them. */
  readonly realBls?: boolean;
  /** Takes seconds a run: `--scenario all` plays a tenth of the seeds. */
  readonly long?: boolean;
  /** The seeds of this scenario, when they are more than numbers: a sweep's points. */
  readonly seedsOf?: (wanted: SeedRange) => readonly number[];
  readonly play: (stage: Stage) => Promise<void>;
}

export interface SeedRange {
  readonly firstSeed: number;
  readonly seeds: number;
  readonly long: boolean;
}

export interface Stage {
  readonly size: number;
  readonly seed: number;
  /** Chance for the scenario's own choices. */
  readonly random: SeededRandom;
  /** Most members that may be faulty together, with equal weights. */
  readonly faultyMax: number;
  /** Rule 4a is on. */
  readonly earlyVotes: boolean;
  /** Blocks to wait for, so that each member leads so often; in large committees less often, but each once at least. */
  turns(each: number): number;
  /** Makes the network; `weights` default to 1 each. */
  cluster(options?: Partial<ClusterOptions>): Cluster;
}

export interface RunSetting {
  readonly seed: number;
  readonly size: number;
  readonly realBls: boolean;
  /** Lets faults happen or not. Default: all happen. */
  readonly gate?: FaultGate;
  /** Called for each network that the scenario makes, before it starts. */
  readonly onCluster?: (cluster: Cluster) => void;
}

export interface RunOutcome {
  readonly views: number;
  readonly virtualMs: number;
  readonly eventHash: string;
}

/**
 * A view costs the square of the committee in frames (50 members: 0.5 s of processor; 100: 2 s), and what members do by turns
 * is seen as well with this many of them.
 */
const TURNS_OF_SIZE_MAX = 16;

type Pace = Pick<ClusterOptions, 'consensus' | 'network' | 'syncMs'>;

/**
 * A leader that waits for its pace proposes when the parent is long notarized; one that need not wait proposes optimistically,
 * views overlap, and certificates cross. Both must be seen.
 */
const PACES: readonly Pace[] = [
  { consensus: { minBlockIntervalMs: 100 }, network: { latency: uniformLatency(1, 5) }, syncMs: 0.1 },
  { consensus: { minBlockIntervalMs: 0 }, network: { latency: uniformLatency(5, 25) }, syncMs: 3 },
  { consensus: { minBlockIntervalMs: 30 }, network: { latency: uniformLatency(10, 40) }, syncMs: 1 },
];

/** Rule 4a is on in three seeds of five, with every pace. */
const EARLY_VOTE_VIEWS = [1, 1, 0, 0, 1] as const;

/** Plays a scenario once. Rejects with what went wrong. */
export async function playScenario(scenario: Scenario, setting: RunSetting): Promise<RunOutcome> {
  const { size, seed } = setting;
  const name = `${scenario.name}/${size}/${seed}`;
  const clusters: Cluster[] = [];
  const pace = PACES[seed % PACES.length] as Pace;
  const earlyVoteViews = EARLY_VOTE_VIEWS[seed % EARLY_VOTE_VIEWS.length] as number;
  const realBls = scenario.realBls === true || setting.realBls;
  await scenario.play({
    size,
    seed,
    random: createRandom(`scenario/${name}`),
    faultyMax: Math.floor((size - 1) / 3),
    earlyVotes: earlyVoteViews > 0,
    turns: (each) => Math.max(size, each * Math.min(size, TURNS_OF_SIZE_MAX)),
    cluster(options = {}) {
      const cluster = createCluster({
        seed: clusters.length === 0 ? name : `${name}/${clusters.length}`,
        weights: Array.from({ length: size }, () => 1),
        realBls,
        ...(pace.syncMs ? { syncMs: pace.syncMs } : {}),
        ...(setting.gate ? { gate: setting.gate } : {}),
        ...options,
        consensus: { ...pace.consensus, earlyVoteViews, ...options.consensus },
        network: { ...pace.network, ...options.network },
      });
      clusters.push(cluster);
      setting.onCluster?.(cluster);
      return cluster;
    },
  });
  return {
    views: clusters.reduce((sum, { checks }) => sum + checks.counts.views, 0),
    virtualMs: clusters.reduce((sum, { simulation }) => sum + simulation.nowMs, 0),
    eventHash: clusters.map(({ simulation }) => simulation.eventHash()).join('-'),
  };
}
