/** `--sign-to` and `--signed`: write and read a run's transactions. */
import { setTimeout as sleep } from 'node:timers/promises';
import { to0x } from '@slipstream/primitives';
import type { PreparedChain } from '../prepare.ts';
import { type SignRunComponents, signRun } from '../run/sign-run.ts';
import type { SignedBatch } from '../signing/signed-batch.ts';
import { readSignedFile, waitForStartMs, writeSignedFile } from '../signing/signed-file.ts';

interface SignToOptions {
  readonly seed: string;
  readonly rate: number;
  readonly seconds: number;
  /** Seconds from now. */
  readonly startIn: number;
}

export async function signToFile(components: SignRunComponents, path: string, options: SignToOptions) {
  const { seed, rate, seconds, startIn } = options;
  const startMs = components.wallMs() + startIn * 1_000;
  const batches = await signRun(components, { transactionsPerSecond: rate, seconds, firstBlock: 0, startMs });
  const genesisHash = to0x(components.chain.task.genesisHash);
  await writeSignedFile(path, { seed, genesisHash, transactionsPerSecond: rate, seconds, startMs }, batches);
  return { transactions: rate * seconds, startMs, file: path };
}

interface FromFile {
  readonly batches: readonly SignedBatch[];
  readonly shape: { readonly rate: number; readonly seconds: number };
}

/** Resolves at the start time in the file. */
export async function fromFile(path: string, chain: PreparedChain, say: (text: string) => void): Promise<FromFile> {
  const { head, batch } = await readSignedFile(path);
  const waitMs = waitForStartMs(head, chain.task.genesisHash, Date.now());
  say(`${batch.count} transactions of seed ${head.seed}, starting in ${Math.round(waitMs / 1_000)} s`);
  await sleep(waitMs);
  return { batches: [batch], shape: { rate: head.transactionsPerSecond, seconds: head.seconds } };
}
