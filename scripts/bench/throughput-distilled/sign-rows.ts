/** Straggler signatures of a run's rows, made before it, on all cores. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ed25519Sign } from '@slipstream/crypto/native';
import { type Row, stragglerMessage } from '@slipstream/distilled';
import { ED25519_SIGNATURE_BYTES, type GenesisHash } from '@slipstream/types';
import type { Registered } from './registered.ts';
import { createRunRows, expiryMsOf, FEE_CAP, type RunPlan, type RunRows, rowOf } from './run-rows.ts';

export interface SigningPart {
  readonly genesisHash: GenesisHash;
  readonly plan: RunPlan;
  readonly accounts: readonly Pick<Registered, 'index' | 'account'>[];
  readonly sequences: Uint32Array;
  readonly signatures: Uint8Array;
  readonly from: number;
  readonly to: number;
}

const SAMPLES = 100;
/** Of the estimate, before a run begins. */
const MARGIN = 1.6;
const MARGIN_MS = 2_000;
const ROWS_PER_THREAD_MIN = 2_000;

/** `sequences`: next of each account; raised. It starts when its rows are signed. */
export async function signedRows(
  accounts: readonly Registered[],
  sequences: Uint32Array,
  genesisHash: GenesisHash,
  { rowsPerSecond, seconds }: Omit<RunPlan, 'startMs'>,
): Promise<RunRows> {
  const count = rowsPerSecond * seconds;
  const threads = Math.max(1, Math.min(availableParallelism(), Math.floor(count / ROWS_PER_THREAD_MIN)));
  const signingMs = (MARGIN * count * msPerSignature(accounts[0] as Registered, genesisHash)) / threads;
  const plan = { rowsPerSecond, seconds, startMs: Date.now() + signingMs + MARGIN_MS };
  const signatures = new Uint8Array(new SharedArrayBuffer(ED25519_SIGNATURE_BYTES * count));
  const part = (thread: number): SigningPart => ({
    genesisHash,
    plan,
    accounts: accounts.map(({ index, account }) => ({ index, account })),
    sequences: sequences.slice(),
    signatures,
    from: Math.floor((count * thread) / threads),
    to: Math.floor((count * (thread + 1)) / threads),
  });
  if (threads === 1) signPart(part(0));
  else {
    const module = new URL('./sign-rows-thread.ts', import.meta.url);
    await Promise.all(
      Array.from({ length: threads }, (_, thread) => once(new Worker(module, { workerData: part(thread) }), 'exit')),
    );
  }
  return createRunRows(accounts, sequences, plan, signatures);
}

export function signPart({ genesisHash, plan, accounts, sequences, signatures, from, to }: SigningPart): void {
  const rows = createRunRows(accounts as readonly Registered[], sequences, plan, signatures);
  for (let number = from; number < to; number++) {
    const { account } = accounts[number % accounts.length] as Registered;
    const row = rowOf(rows, number);
    signatures.set(signRow(genesisHash, row, expiryMsOf(plan, number), account), ED25519_SIGNATURE_BYTES * number);
  }
}

function signRow(genesisHash: GenesisHash, row: Row, expiryMs: number, { secret }: Registered['account']): Uint8Array {
  return ed25519Sign(stragglerMessage(genesisHash, row, { expiryMs, feeCap: FEE_CAP }), secret);
}

function msPerSignature({ index, account }: Registered, genesisHash: GenesisHash): number {
  const row = { sender: index, recipient: index, amount: 1n, sequence: 1, tag: 0 };
  const startMs = performance.now();
  for (let i = 0; i < SAMPLES; i++) signRow(genesisHash, row, Date.now(), account);
  return (performance.now() - startMs) / SAMPLES;
}
