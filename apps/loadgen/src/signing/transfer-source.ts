/** Sources of signed transactions for the sending loop: all signed before the start, or an endless one signed a few seconds ahead. */
import { PLAN_BLOCK_TRANSFERS } from '../workload/transfer-plan.ts';
import { type SignedBatch, type SignedTransfer, signedAt } from './signed-batch.ts';
import type { SignerPool } from './signer-pool.ts';

export interface TransferSource {
  /** The next transactions, at most `count`; fewer while signing lags; undefined at the end. */
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
  /** First block of the plan; later runs of a seed continue after the blocks of earlier ones. */
  readonly firstBlock: number;
  /** ms since 1970, of the first transaction; the others follow at the rate. */
  readonly expiryMs: number;
}

/** Signs all transactions of a run. `onSigned` gets the number signed so far. */
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
  readonly lifeMs: number;
  readonly wallMs: () => number;
  readonly onError: (error: unknown) => void;
}

/** Signed in advance: long enough to bridge a pause of a thread, short against a transaction's life. */
const AHEAD_SECONDS = 2;

/** Signs as transactions are taken; ends with `signal`. */
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
        // Earlier blocks may have been taken meanwhile, which moves this block's place forward.
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
