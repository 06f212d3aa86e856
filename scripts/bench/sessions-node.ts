/**
 * The `sessions-node` bench: requests behind two BLS signatures at a real node, with its caches on and off, beside plain Ed25519 requests.
 *
 *   one chain of one validator, its process restarted for each arm
 *     plain      the users' own Ed25519 signatures
 *     cached     sessions: each request carries its credential (root over committee, committee over state)
 *     batched    the same with --development-forget-verified: every request pays for both verifications, in the batches of its POST
 *     uncached   with --development-check-singly too: each verification alone, as in the source without its cache
 *
 *   300 per second, four arms, turn by turn --> the highest rate that each sustains --> that of the cached arm, in all
 *
 * The source (DFINITY) offered 300 requests per second to a replica in a test network: 50 per second were processed before its cache, 500
 * afterwards. There a verification took some 10 ms under load and the committee had 13 replicas. Here one validator of a chain of its own and
 * its clients share the machine, a verification takes under a millisecond, and requests due within 25 ms share a POST.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Chart, findKnee } from '@slipstream/app-loadgen';
import { type Cluster, type ClusterNode, createCluster, freePortRange } from '@slipstream/devnet';
import { readGenesis } from '@slipstream/node-home';
import { type GenesisHash, genesisHashOf } from '@slipstream/types';
import { print } from '../print.ts';
import { type BenchOptions, type Claim, claim, printTable, quantile } from './claim.ts';
import { type Outcome, offer } from './sessions-node/offer.ts';
import {
  createIdentityChain,
  type RequestKind,
  signInUsers,
  signRequests,
  type User,
} from './sessions-node/requests.ts';

const ARMS = ['plain', 'cached', 'batched', 'uncached'] as const;
type Arm = (typeof ARMS)[number];
type ByArm<T> = Readonly<Record<Arm, T>>;

/** The highest rate that the source saw. */
const SOURCE_RATE = 300;
const FULL = { seconds: 10, warmUpSeconds: 2, rounds: 2, kneeSeconds: 5, stepsMax: 12, rateMax: 8_000 };
const SMOKE = { seconds: 0.5, warmUpSeconds: 0.5, rounds: 1, kneeSeconds: 0.5, stepsMax: 1, rateMax: 300 };
/** A rate is sustained if no more are dropped and the slowest twentieth is not later. */
const DROPPED_SHARE_MAX = 0.01;
const P95_MS_MAX = 2_000;
/** Of the knee. */
const PRECISION = 0.08;
const FIRST_RATE: ByArm<number> = {
  plain: 4 * SOURCE_RATE,
  cached: 4 * SOURCE_RATE,
  batched: SOURCE_RATE,
  uncached: SOURCE_RATE,
};
const FORGET = ['--development-forget-verified', 'true'];
const SINGLY = ['--development-check-singly', 'true'];

interface Bench {
  readonly clusters: { readonly remembering: Cluster; readonly forgetting: Cluster; readonly single: Cluster };
  readonly users: readonly User[];
  readonly genesisHash: GenesisHash;
  readonly effort: typeof FULL;
}

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-sessions-node-'));
  const bench = await prepare(folder, smoke);
  try {
    const { outcomes: source, sustained } = await atSourceRate(bench);
    printOutcomes(SOURCE_RATE, source);
    draw(chartOf(SOURCE_RATE, source));
    const highest = sustained.cached;
    const atHighest = highest <= SOURCE_RATE ? source : await atRate(bench, highest);
    printOutcomes(highest, atHighest);
    draw(chartOf(highest, atHighest));
    return claimsOf(source, sustained, atHighest);
  } finally {
    await stopAll(bench);
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function prepare(folder: string, smoke: boolean): Promise<Bench> {
  const identity = createIdentityChain();
  const basePort = await freePortRange(2);
  const trustedIssuers = [identity.rootKey];
  const shape = { folder, validators: 1, fullNodes: 0, basePort, apiPort: basePort + 1, trustedIssuers };
  const remembering = await createCluster(shape);
  const forgetting = await createCluster({ ...shape, flags: FORGET });
  const single = await createCluster({ ...shape, flags: [...FORGET, ...SINGLY] });
  const genesisHash = genesisHashOf(await readGenesis(remembering.genesisFile));
  const users = await signInUsers(identity, genesisHash, smoke);
  return { clusters: { remembering, forgetting, single }, users, genesisHash, effort: smoke ? SMOKE : FULL };
}

const stopAll = ({ clusters }: Bench) => Promise.all(Object.values(clusters).map((cluster) => cluster.stop()));

/** A process of its own: what one arm verified helps no other. */
async function withNode<T>({ clusters }: Bench, arm: Arm, work: (node: ClusterNode) => Promise<T>): Promise<T> {
  const { remembering, forgetting, single } = clusters;
  const cluster = { plain: remembering, cached: remembering, batched: forgetting, uncached: single }[arm];
  await cluster.start();
  try {
    return await work(cluster.nodes[0] as ClusterNode);
  } finally {
    await cluster.stop();
  }
}

async function offerTo(
  bench: Bench,
  node: ClusterNode,
  arm: Arm,
  load: { rate: number; seconds: number },
): Promise<Outcome> {
  const kind: RequestKind = arm === 'plain' ? 'plain' : 'session';
  const requests = signRequests(bench, kind, Math.round(load.rate * load.seconds));
  return offer(node.client, requests, load.rate);
}

/** Turn by turn; the last process of each arm also measures the highest rate. */
async function atSourceRate(bench: Bench) {
  const outcomes: Record<Arm, Outcome[]> = { plain: [], cached: [], batched: [], uncached: [] };
  const sustained: Record<Arm, number> = { plain: 0, cached: 0, batched: 0, uncached: 0 };
  for (let round = 1; round <= bench.effort.rounds; round++) {
    for (const arm of ARMS) {
      await withNode(bench, arm, async (node) => {
        outcomes[arm].push(await afterWarmUp(bench, node, arm, SOURCE_RATE));
        if (round === bench.effort.rounds) sustained[arm] = await highestRate(bench, node, arm);
      });
    }
  }
  return { outcomes, sustained };
}

async function atRate(bench: Bench, rate: number): Promise<ByArm<readonly Outcome[]>> {
  const outcomes: Record<Arm, Outcome[]> = { plain: [], cached: [], batched: [], uncached: [] };
  for (const arm of ARMS) {
    outcomes[arm].push(await withNode(bench, arm, (node) => afterWarmUp(bench, node, arm, rate)));
  }
  return outcomes;
}

/** So that the code is compiled and, in the cached arm, each credential was seen once. */
async function afterWarmUp(bench: Bench, node: ClusterNode, arm: Arm, rate: number): Promise<Outcome> {
  const { seconds, warmUpSeconds } = bench.effort;
  await offerTo(bench, node, arm, { rate: SOURCE_RATE, seconds: warmUpSeconds });
  const outcome = await offerTo(bench, node, arm, { rate, seconds });
  await checkCaches(node, arm);
  return outcome;
}

/** Each arm must be what its name says. The node sets the gauge at each block. */
async function checkCaches({ url }: ClusterNode, arm: Arm): Promise<void> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const known = Number(/^slipstream_dissemination_session_credentials_known (\d+)$/m.exec(metrics)?.[1]);
  if (arm === 'cached' ? known > 0 : known === 0) return;
  throw new Error(`the node of the ${arm} arm found ${known} credentials known`);
}

async function highestRate(bench: Bench, node: ClusterNode, arm: Arm): Promise<number> {
  const { stepsMax, rateMax, kneeSeconds } = bench.effort;
  const search = { from: FIRST_RATE[arm], ceiling: rateMax, precision: PRECISION, stepsMax };
  const measure = async (rate: number) => faultOf(await offerTo(bench, node, arm, { rate, seconds: kneeSeconds }));
  const { transactionsPerSecond, steps } = await findKnee(measure, search);
  print(`  ${arm}: ${steps.map((step) => `${step.transactionsPerSecond} ${step.fault ?? 'held'}`).join(', ')}`);
  return transactionsPerSecond;
}

function faultOf(outcome: Outcome): string | undefined {
  const share = outcome.dropped / outcome.offered;
  if (share > DROPPED_SHARE_MAX) return `dropped ${(100 * share).toFixed(1)} %`;
  const p95 = quantile(outcome.latenciesMs, 0.95);
  return p95 > P95_MS_MAX ? `p95 ${Math.round(p95)} ms` : undefined;
}

const sumOf = (outcomes: readonly Outcome[], of: 'offered' | 'accepted' | 'dropped'): number =>
  outcomes.reduce((sum, outcome) => sum + outcome[of], 0);

const droppedShare = (outcomes: readonly Outcome[]): number => sumOf(outcomes, 'dropped') / sumOf(outcomes, 'offered');

const latenciesOf = (outcomes: readonly Outcome[]): number[] => outcomes.flatMap(({ latenciesMs }) => latenciesMs);

function reasonsText(outcomes: readonly Outcome[]): string {
  const reasons = new Map<string, number>();
  for (const [reason, count] of outcomes.flatMap((outcome) => [...outcome.reasons])) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
}

function printOutcomes(rate: number, found: ByArm<readonly Outcome[]>): void {
  printTable(
    `${rate} requests per second, ms from due to in a block`,
    ['', 'offered', 'accepted', 'dropped', 'p50', 'p95', 'why dropped'],
    ARMS.map((arm) => {
      const outcomes = found[arm];
      const times = latenciesOf(outcomes);
      const counts = (['offered', 'accepted', 'dropped'] as const).map((of) => sumOf(outcomes, of));
      const quantiles = times.length === 0 ? ['', ''] : [0.5, 0.95].map((share) => Math.round(quantile(times, share)));
      return [arm, ...counts, ...quantiles, reasonsText(outcomes)];
    }),
  );
}

/** As in the source, over the seconds of a run: what was accepted, of the last round. */
function chartOf(rate: number, found: ByArm<readonly Outcome[]>): Chart {
  const last = (arm: Arm): readonly number[] => found[arm].at(-1)?.acceptedBySecond ?? [];
  const seconds = last('plain').map((_, second) => second + 1);
  return {
    title: `${rate} requests per second at one node: accepted`,
    about:
      'Each session request has two BLS signatures behind it. What is below the line of the offered ones was dropped. ' +
      'DFINITY at 300 per second: some 50 accepted without the cache, and as many as with plain Ed25519 with it.',
    unit: 'requests per second',
    x: { name: 'second', unit: 's', values: seconds },
    lines: [
      ...ARMS.map((arm) => ({ name: arm, values: last(arm) })),
      { name: 'offered', values: seconds.map(() => rate) },
    ],
    kind: 'lines',
  };
}

function claimsOf(
  source: ByArm<readonly Outcome[]>,
  sustained: ByArm<number>,
  atHighest: ByArm<readonly Outcome[]>,
): Claim[] {
  const offered = sumOf(source.cached, 'offered');
  function p95(arm: Arm): number {
    const times = latenciesOf(source[arm]);
    return times.length === 0 ? Number.POSITIVE_INFINITY : quantile(times, 0.95);
  }
  return [
    claim('rate_ratio', sustained.cached / Math.max(1, sustained.uncached), 'ratio', 1),
    claim('rate_ratio_batched', sustained.cached / Math.max(1, sustained.batched), 'ratio', 1),
    ...ARMS.map((arm) => claim(`sustained_${arm}`, sustained[arm], 'per second', 1)),
    claim('dropped_share_300', droppedShare(source.cached), 'share', offered),
    claim('dropped_share_300_plain', droppedShare(source.plain), 'share', offered),
    claim('dropped_share_300_uncached', droppedShare(source.uncached), 'share', offered),
    ...ARMS.map((arm) => claim(`ended_p95_ms_300_${arm}`, p95(arm), 'ms', offered)),
    claim('dropped_share_highest', droppedShare(atHighest.cached), 'share', sumOf(atHighest.cached, 'offered')),
    claim('dropped_share_highest_plain', droppedShare(atHighest.plain), 'share', sumOf(atHighest.plain, 'offered')),
    claim(
      'dropped_share_highest_uncached',
      droppedShare(atHighest.uncached),
      'share',
      sumOf(atHighest.uncached, 'offered'),
    ),
  ];
}
