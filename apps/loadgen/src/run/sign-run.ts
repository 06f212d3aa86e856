/** Pays the accounts of a run and signs all its transactions, for a start as soon as that is done. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PreparedChain } from '../prepare.ts';
import type { SignedBatch } from '../signing/signed-batch.ts';
import type { SignerPool } from '../signing/signer-pool.ts';
import { blocksOf, signAll } from '../signing/transfer-source.ts';

export interface SignRunComponents {
  readonly chain: PreparedChain;
  readonly pool: SignerPool;
  readonly wallMs: () => number;
  readonly say: (text: string) => void;
}

interface SignRunOptions {
  readonly transactionsPerSecond: number;
  readonly seconds: number;
  readonly firstBlock: number;
  /** ms since 1970; as soon as all is signed when missing. */
  readonly startMs?: number;
}

/** From the planned send time: leaves a slow chain some time, and the start some too. A chain allows 60 s. */
const LIFE_MS = 35_000;
/** Ready earlier than planned by more than this: waited for, since nodes refuse what expires too late. */
const EARLY_MS_MAX = 18_000;
/** Enough jobs for every thread of a small machine. */
const CALIBRATION_JOBS = 4;
const CALIBRATION_TRANSFERS = 250;

/** Returns when the run may start at once. */
export async function signRun(
  { chain, pool, wallMs, say }: SignRunComponents,
  { transactionsPerSecond, seconds, firstBlock, startMs: wantedMs }: SignRunOptions,
): Promise<readonly SignedBatch[]> {
  const transactions = transactionsPerSecond * seconds;
  if (!chain.generated) say('Paying the accounts that will send ...');
  await chain.fund(firstBlock, blocksOf(transactions));
  // Once for the threads to start, which says nothing about their pace; then to measure it.
  await calibrate(pool, firstBlock);
  const startMs = performance.now();
  await calibrate(pool, firstBlock);
  const perTransferMs = (performance.now() - startMs) / (CALIBRATION_JOBS * CALIBRATION_TRANSFERS);
  const plannedMs = wantedMs ?? wallMs() + transactions * perTransferMs;
  say(`Signing ${transactions} transfers ...`);
  const batches = await signAll(pool, {
    transactions,
    transactionsPerSecond,
    firstBlock,
    expiryMs: plannedMs + LIFE_MS,
  });
  const earlyMs = plannedMs - wallMs();
  if (wantedMs === undefined && earlyMs > EARLY_MS_MAX) await sleep(earlyMs - EARLY_MS_MAX);
  return batches;
}

async function calibrate(pool: SignerPool, block: number): Promise<void> {
  const job = { block, count: CALIBRATION_TRANSFERS, expiryMs: 0, stepMs: 0 };
  await Promise.all(Array.from({ length: CALIBRATION_JOBS }, () => pool.sign(job)));
}
