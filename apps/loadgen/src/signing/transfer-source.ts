/**
 * Where the sending loop takes signed transactions from: all of them signed before it starts, or an endless line of which a few
 * seconds are kept ready by the signing threads.
 */
import { PLAN_BLOCK_TRANSFERS } from '../workload/transfer-plan.ts';
import { type SignedBatch, type SignedTransfer, signedAt } from './signed-batch.ts';
import type { SignerPool } from './signer-pool.ts';

export interface TransferSource {
  /** The next ones, at most `count`; fewer while signing lags; undefined when there are no more. */
  take(count: number): readonly SignedTransfer[] | undefined;
}

export function sourceOf(batches: readonly SignedBatch[]): TransferSource {
  let batch = 0;
  let index = 0;
  return {
    take(count) {
      const taken: SignedTransfer[] = [];
      while (taken.length < count && batch < batches.length) {
        const from = batches[batch] as SignedBatch;
        if (index < from.count) taken.push(signedAt(from, index++));
        else {
          batch += 1;
          index = 0;
        }
      }
      return taken.length === 0 ? undefined : taken;
    },
  };
}

interface SigningPlan {
  readonly transactions: number;
  readonly transactionsPerSecond: number;
  /** First block of the plan; later runs of one seed go on after the blocks of those before. */
  readonly firstBlock: number;
  /** ms since 1970, of the first transaction; the others follow at the rate. */
  readonly expiryMs: number;
}

/** Signs all of a run. `onSigned` hears how many there are so far. */
export async function signAll(
  pool: SignerPool,
  { transactions, transactionsPerSecond, firstBlock, expiryMs }: SigningPlan,
  onSigned: (count: number) => void = () => {},
): Promise<readonly SignedBatch[]> {
  const stepMs = 1_000 / transactionsPerSecond;
  let signed = 0;
  const blocks = blocksOf(transactions);
  return await Promise.all(
    Array.from({ length: blocks }, async (_, block) => {
      const first = block * PLAN_BLOCK_TRANSFERS;
      const count = Math.min(PLAN_BLOCK_TRANSFERS, transactions - first);
      const batch = await pool.sign({
        block: firstBlock + block,
        count,
        expiryMs: expiryMs + first * stepMs,
        stepMs,
      });
      signed += count;
      onSigned(signed);
      return batch;
    }),
  );
}

export function blocksOf(transactions: number): number {
  return Math.ceil(transactions / PLAN_BLOCK_TRANSFERS);
}

interface EndlessOptions {
  readonly transactionsPerSecond: number;
  /** From signing to expiry. */
  readonly lifeMs: number;
  readonly wallMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Signed ahead: long enough to hide a thread's hiccup, short against a transaction's life. */
const AHEAD_SECONDS = 2;

/** Signs as it is taken from; ends when `signal` does. */
export function endlessSource(pool: SignerPool, options: EndlessOptions, signal: AbortSignal): TransferSource {
  const { transactionsPerSecond, lifeMs, wallMs, onError } = options;
  const blockTransfers = Math.min(PLAN_BLOCK_TRANSFERS, Math.max(1, Math.ceil(transactionsPerSecond)));
  const blocksAhead = Math.max(2, Math.ceil((AHEAD_SECONDS * transactionsPerSecond) / blockTransfers));
  const ready: (SignedBatch | undefined)[] = [];
  let next = 0;
  let index = 0;

  function signAhead(): void {
    while (ready.length < blocksAhead && !signal.aborted) {
      const block = next++;
      ready.push(undefined);
      const job = { block, count: blockTransfers, expiryMs: wallMs() + lifeMs, stepMs: 0 };
      pool.sign(job).then((batch) => {
        // Blocks before it may have been taken and dropped meanwhile: its place moved by as many.
        const place = block - (next - ready.length);
        ready[place] = batch;
      }, onError);
    }
  }

  signAhead();
  return {
    take(count) {
      if (signal.aborted) return undefined;
      const taken: SignedTransfer[] = [];
      while (taken.length < count) {
        const batch = ready[0];
        if (batch === undefined) break;
        if (index < batch.count) taken.push(signedAt(batch, index++));
        else {
          ready.shift();
          index = 0;
          signAhead();
        }
      }
      return taken;
    },
  };
}
