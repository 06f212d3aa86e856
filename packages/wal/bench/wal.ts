/**
 * The `wal` bench: one round of a proposer with 50 parts of 512 bytes, on the real disk.
 *
 *   all        every record is synced before the next is written: 52 syncs
 *   two-steps  the proposal, then the parts and the vote: 2 syncs, as CometBFT does since its PR 5695
 *   selective  everything of the round in one group commit: 1 sync, as this node does
 *
 * The three take turns within one run, each on a log of its own, so that whatever else the machine does hits all alike. CometBFT published
 * its two on an Apple M1 Max. Records by size: sizes.ts.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock, createDisk, createRandom } from '@slipstream/platform';
import { type Disk, silentTelemetry } from '@slipstream/ports';
import { type BenchOptions, type Claim, quantile } from '../../../scripts/bench/claim.ts';
import { openWal, type Wal } from '../src/index.ts';
import { runSizes } from './sizes.ts';

const PARTS = 50;
const PART_BYTES = 512;
/** An unsigned message and its signature, rounded. */
const PROPOSAL_BYTES = 900;
const VOTE_BYTES = 260;

const proposal = filled(PROPOSAL_BYTES);
const part = filled(PART_BYTES);
const vote = filled(VOTE_BYTES);

const logProposal = (wal: Wal) => wal.append('own-proposal', proposal, proposal).durable;
const logVote = (wal: Wal) => wal.append('own-notarize', vote, vote).durable;

function logParts(wal: Wal): void {
  for (let i = 0; i < PARTS; i++) wal.append('chunk', part);
}

const WAYS = {
  async all(wal: Wal) {
    await logProposal(wal);
    for (let i = 0; i < PARTS; i++) {
      wal.append('chunk', part);
      await wal.sync();
    }
    await logVote(wal);
  },
  async 'two-steps'(wal: Wal) {
    await logProposal(wal);
    logParts(wal);
    await logVote(wal);
  },
  async selective(wal: Wal) {
    void logProposal(wal);
    logParts(wal);
    await logVote(wal);
  },
  /** One small record and its sync: what a sync costs here. */
  async sync(wal: Wal) {
    await logVote(wal);
  },
};

type Way = keyof typeof WAYS;

interface Measured {
  readonly tookMs: number[];
  readonly wal: Wal;
  syncs: number;
}

/** On the disk of the system's folder for temporary files. */
export async function run({ smoke, draw }: BenchOptions): Promise<readonly Claim[]> {
  const root = await mkdtemp(join(tmpdir(), 'slipstream-wal-bench-'));
  const disk = createDisk({ root });
  try {
    const tookMs = await measure(disk, smoke ? { warmUps: 1, rounds: 5 } : { warmUps: 30, rounds: 400 });
    drawRound(draw, tookMs);
    const sizes = await runSizes(disk, (directory) => openLog(disk, directory), { smoke, draw });
    return [...claimsOf(tookMs), ...sizes];
  } finally {
    await rm(root, { recursive: true });
  }
}

async function measure(
  disk: Disk,
  { warmUps, rounds }: { readonly warmUps: number; readonly rounds: number },
): Promise<(way: Way) => Measured> {
  const ways = Object.keys(WAYS) as Way[];
  const measured = new Map<Way, Measured>();
  for (const way of ways) measured.set(way, { tookMs: [], wal: await openLog(disk, way), syncs: 0 });
  for (let round = -warmUps; round < rounds; round++) {
    for (const way of ways) await measureRound(way, measured.get(way) as Measured, round >= 0);
  }
  for (const { wal } of measured.values()) await wal.close();
  return (way) => measured.get(way) as Measured;
}

async function measureRound(way: Way, measured: Measured, counts: boolean): Promise<void> {
  const syncsBefore = measured.wal.stats.syncs;
  const startMs = performance.now();
  await WAYS[way](measured.wal);
  const tookMs = performance.now() - startMs;
  if (!counts) return;
  measured.tookMs.push(tookMs);
  measured.syncs = measured.wal.stats.syncs - syncsBefore;
}

async function openLog(disk: Disk, directory: string): Promise<Wal> {
  const components = { clock: createClock(), disk, random: createRandom(), telemetry: silentTelemetry };
  return (await openWal(components, { directory, genesisHash: new Uint8Array(32) })).wal;
}

/** Medians on an Apple M1 Max, from the description of CometBFT's PR 5695. */
const COMETBFT_MS = { all: 240, 'two-steps': 10.6 } as const;

function drawRound(draw: BenchOptions['draw'], measured: (way: Way) => Measured): void {
  const ways = ['all', 'two-steps', 'selective'] as const;
  const here = (share: number) => ways.map((way) => quantile(measured(way).tookMs, share));
  draw({
    title: 'A round of 50 parts',
    about: 'Median and the range of nine tenths: every record synced, signed records alone, and one group commit.',
    unit: 'ms',
    x: { name: 'synced', unit: '', values: ['every record', 'proposal, then vote', 'the round at once'] },
    kind: 'bars',
    lines: [
      { name: 'here', values: here(0.5), low: here(0.05), high: here(0.95) },
      { name: 'CometBFT on an M1 Max', values: [COMETBFT_MS.all, COMETBFT_MS['two-steps'], undefined] },
    ],
  });
}

function claimsOf(measured: (way: Way) => Measured): Claim[] {
  const samples = measured('all').tookMs.length;
  const syncs = (name: string, way: Way): Claim => ({ name, value: measured(way).syncs, unit: 'syncs', samples });
  const latency = (name: string, way: Way, share = 0.5): Claim => ({
    name,
    value: quantile(measured(way).tookMs, share),
    unit: 'ms',
    samples,
  });
  const ratio = quantile(measured('all').tookMs, 0.5) / quantile(measured('selective').tookMs, 0.5);
  return [
    syncs('syncs_all', 'all'),
    syncs('syncs_two_steps', 'two-steps'),
    syncs('syncs_selective', 'selective'),
    { name: 'time_ratio', value: ratio, unit: 'x', samples },
    latency('round_all_ms', 'all'),
    latency('round_two_steps_ms', 'two-steps'),
    latency('round_selective_ms', 'selective'),
    latency('round_selective_p95_ms', 'selective', 0.95),
    latency('round_selective_p99_ms', 'selective', 0.99),
    latency('sync_ms', 'sync'),
  ];
}

function filled(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => (i * 31) & 0xff);
}
