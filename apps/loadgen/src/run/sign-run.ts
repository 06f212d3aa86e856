/** Pays the accounts of a run and signs all its transactions. */
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
  /** ms since 1970; default: when signing is done. */
  readonly startMs?: number;
}

/** From the planned send time, with margins for a late start and a slow chain. A chain allows 60 s. */
const LIFE_MS = 35_000;
/** A run that is ready earlier than this waits, since nodes refuse an expiry too far ahead. */
const EARLY_MS_MAX = 18_000;
/** One job for each thread of a small machine. */
const CALIBRATION_JOBS = 4;
const CALIBRATION_TRANSFERS = 250;

/** Resolves when the run may start. */
export async function signRun(
  { chain, pool, wallMs, say }: SignRunComponents,
  { transactionsPerSecond, seconds, firstBlock, startMs: wantedMs }: SignRunOptions,
): Promise<readonly SignedBatch[]> {
  const transactions = transactionsPerSecond * seconds;
  if (!chain.generated) say('Paying the accounts that will send ...');
  await chain.fund(firstBlock, blocksOf(transactions));
  // The first run starts the threads, the second measures their speed.
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
