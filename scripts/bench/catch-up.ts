/**
 * The `catch-up` bench: a full node with an empty folder replays, without state sync, what a network made at its highest rate.
 *
 *   verification time --> network of `throughput` --> knee: short steps --> the highest rate, held: full blocks
 *       --> load ends; the full node loses its data, starts --> first block ... last full block, each signature verified --> rates of both
 *
 * Made: transactions of the full blocks over their timestamps. Replayed: those of the whole chain, search included, from the first answer
 * of the node's API to its commit of the last full block, while the validators serve and make empty blocks. `tps_scaled` is for a machine that verifies a signature in REFERENCE_VERIFICATION_US; the goal is for it.
 */
import { availableParallelism } from 'node:os';
import { faultOf, runSteady, warmUp } from '@slipstream/app-loadgen';
import { print } from '../print.ts';
import { type MadeBlock, madePerSecond, replayedPerSecond, transactionsOf } from './catch-up/rates.ts';
import { type Replay, replay } from './catch-up/replay.ts';
import { type BenchOptions, type Claim, claim, median, printTable } from './claim.ts';
import { findRestedKnee } from './load/knee.ts';
import { onNetwork, type Pressed, press } from './load/network.ts';
import { REFERENCE_VERIFICATION_US, verificationUs } from './load/verification.ts';

const SEED = 'catch-up';
const ACCOUNTS = 10_000;
const JOINING = 'full-node-0';
const SHAPE = { validators: 4, fullNodes: 1, accounts: ACCOUNTS };
const BOUND = { finalityP99Ms: 2_000, refusedShareMax: 0.01 };
const SETTINGS = {
  'consensus.minBlockIntervalMs': 300,
  'consensus.leaderTimeoutMs': 1_000,
  'consensus.viewTimeoutMs': 2_000,
  'sync.distance': 0,
  // By default two cores have one, which is as much as a replay may then have of both.
  'verifier.workers': availableParallelism(),
};

interface Effort {
  readonly from: number;
  readonly ceiling: number;
  readonly stepSeconds: number;
  readonly steps: number;
  readonly warmSeconds: number;
  /** Of full blocks. */
  readonly seconds: number;
  readonly replays: number;
  readonly verifications: number;
}

const FULL: Effort = {
  from: 800,
  ceiling: 8_000,
  stepSeconds: 8,
  steps: 10,
  warmSeconds: 30,
  seconds: 60,
  replays: 3,
  verifications: 4_000,
};
const SMOKE: Effort = {
  from: 100,
  ceiling: 100,
  stepSeconds: 2,
  steps: 1,
  warmSeconds: 0,
  seconds: 6,
  replays: 1,
  verifications: 500,
};

interface Made {
  /** From height 1 to the last full block. */
  readonly chain: readonly MadeBlock[];
  readonly perSecond: number;
}

interface Found {
  readonly made: Made;
  readonly replays: readonly Replayed[];
}

interface Replayed extends Replay {
  readonly perSecond: number;
}

export async function run({ smoke, draw }: BenchOptions): Promise<Claim[]> {
  const effort = smoke ? SMOKE : FULL;
  const before = verificationUs(effort.verifications);
  const found = await onNetwork(SHAPE, SETTINGS, async (network): Promise<Found> => {
    const joining = network.cluster?.node(JOINING);
    if (joining === undefined) throw new Error('the bench replays on a network of its own');
    const made = await press(network, { seed: SEED, accounts: ACCOUNTS }, (pressed) => makeBlocks(pressed, effort));
    const replays: Replayed[] = [];
    for (let round = 0; round < effort.replays; round++) replays.push(await replayed(joining, made));
    return { made, replays };
  });
  const us = Math.min(before, verificationUs(effort.verifications));
  printReplays(found, us);
  drawProgress(found.replays, draw);
  return claimsOf(found, us);
}

async function replayed(joining: Parameters<typeof replay>[0], { chain }: Made): Promise<Replayed> {
  const signatures = transactionsOf(chain);
  const found = await replay(joining, chain.at(-1)?.height ?? 0, signatures);
  const perSecond = replayedPerSecond(chain, found.readings);
  if (perSecond === undefined) throw new Error('the node had committed blocks before it was first asked');
  if (found.verified < signatures) {
    throw new Error(`the node verified ${found.verified} signatures of ${signatures} transactions`);
  }
  print(`  replay of ${chain.length} blocks: ${perSecond.toFixed(0)} per second`);
  return { ...found, perSecond };
}

/** Full blocks at the highest rate that holds. */
async function makeBlocks({ components, network }: Pressed, effort: Effort): Promise<Made> {
  let firstBlock = effort.warmSeconds > 0 ? await warmUp(components, effort.from) : 0;
  const measure = async (transactionsPerSecond: number, seconds: number) => {
    const result = await runSteady(components, {
      transactionsPerSecond,
      seconds,
      firstBlock,
      audits: false,
      readsNodes: false,
    });
    firstBlock += result.blocks;
    const fault = faultOf(result, BOUND);
    print(`  ${transactionsPerSecond} per second for ${seconds} s: ${fault ?? 'holds'}`);
    return fault;
  };
  if (effort.warmSeconds > 0) await measure(effort.from, effort.warmSeconds);
  const knee = await findRestedKnee((rate) => measure(rate, effort.stepSeconds), {
    from: effort.from,
    ceiling: effort.ceiling,
    stepsMax: effort.steps,
  });
  const [{ client } = { client: undefined }] = network.nodes;
  if (client === undefined) throw new Error('the network has no node');
  const fromHeight = (await client.status()).height;
  await measure(Math.max(knee.transactionsPerSecond, effort.from), effort.seconds);
  const blocks: MadeBlock[] = [];
  for (let height = 1, to = (await client.status()).height; height <= to; height++) {
    const { block, transactionCount } = await client.block(height);
    blocks.push({ height, timestampMs: Number(block.timestampMs), transactions: transactionCount });
  }
  const isFilled = ({ transactions }: MadeBlock) => transactions > 0;
  const chain = blocks.slice(0, blocks.findLastIndex(isFilled) + 1);
  const held = chain.filter(({ height }) => height > fromHeight);
  const perSecond = madePerSecond(held.slice(held.findIndex(isFilled)));
  if (perSecond === undefined) throw new Error('the network made fewer than two full blocks');
  return { chain, perSecond };
}

function printReplays({ made, replays }: Found, us: number): void {
  print(`  made: ${made.perSecond.toFixed(0)} per second`);
  printTable(
    `Replays of ${made.chain.length} blocks, ${transactionsOf(made.chain)} transactions`,
    ['', 'per second', 'times as fast', 'memory, MiB'],
    replays.map(({ perSecond, memoryBytes }, at) => [
      `replay ${at + 1}`,
      Math.round(perSecond),
      perSecond / made.perSecond,
      Math.round(memoryBytes / 2 ** 20),
    ]),
  );
  const last = replays.at(-1);
  const threads = [...(last?.threads ?? [])].toSorted(([, a], [, b]) => b - a);
  printTable(
    'Processor time of the last replay, by thread',
    ['thread', 'seconds'],
    threads.map(([thread, seconds]) => [thread, seconds.toFixed(2)]),
  );
  print(`one verification ${us.toFixed(1)} us`);
}

function drawProgress(replays: readonly Replayed[], draw: BenchOptions['draw']): void {
  const readings = replays.at(-1)?.readings ?? [];
  const beganMs = readings[0]?.atMs ?? 0;
  draw({
    title: 'A replay',
    about: 'Committed height of the replaying node since the first answer of its API.',
    unit: 'height',
    x: { name: 'time', unit: 's', values: readings.map(({ atMs }) => (atMs - beganMs) / 1_000) },
    lines: [{ name: 'committed height', values: readings.map(({ height }) => height) }],
  });
}

function claimsOf({ made, replays }: Found, us: number): Claim[] {
  const tps = median(replays.map(({ perSecond }) => perSecond));
  const samples = transactionsOf(made.chain) * replays.length;
  const of = (name: string, value: number, unit: string) => claim(name, value, unit, samples);
  return [
    of('ratio_to_made', tps / made.perSecond, 'ratio'),
    of('tps', tps, '1/s'),
    of('tps_scaled', (tps * us) / REFERENCE_VERIFICATION_US, '1/s'),
    of('made_tps', made.perSecond, '1/s'),
    of('memory_mb', Math.max(...replays.map(({ memoryBytes }) => memoryBytes)) / 2 ** 20, 'MiB'),
    of('verification_us', us, 'us'),
  ];
}
