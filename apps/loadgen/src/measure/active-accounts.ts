/**
 * Unique senders and receivers of final transfers, per second and per minute of the intended send times.
 *
 * Vryx's devnet (2024) counts so: 95,000 per second and 2.5 million per minute, of 10 million, at 100,000 transfers per second.
 */
import type { End } from '../fate/sent-transactions.ts';
import { type SignedBatch, signedAt } from '../signing/signed-batch.ts';
import { planBlock, type Workload } from '../workload/transfer-plan.ts';

export interface ActiveAccounts {
  /** Means over whole seconds and minutes; null for a shorter run. */
  readonly perSecond: number | null;
  readonly perMinute: number | null;
  readonly inAll: number;
}

interface CountedRun {
  readonly workload: Workload;
  readonly transactionsPerSecond: number;
  /** Block of the plan. */
  readonly firstBlock: number;
  /** Batch i is block `firstBlock + i` of the plan. */
  readonly signed: readonly SignedBatch[];
  readonly fates: ReadonlyMap<string, End | 'pending'>;
}

export function countActiveAccounts(run: CountedRun): ActiveAccounts {
  const { workload, transactionsPerSecond, firstBlock, signed, fates } = run;
  const seconds = createWindows(1);
  const minutes = createWindows(60);
  const all = new Set<number>();
  let due = 0;
  for (const [index, batch] of signed.entries()) {
    const transfers = planBlock(workload, firstBlock + index).slice(0, batch.count);
    for (const [i, { sender, receiver }] of transfers.entries()) {
      const second = Math.floor(due++ / transactionsPerSecond);
      if (fates.get(signedAt(batch, i).id) !== 'final') continue;
      for (const account of [sender, receiver]) {
        seconds.add(second, account);
        minutes.add(second, account);
        all.add(account);
      }
    }
  }
  const wholeSeconds = Math.floor(due / transactionsPerSecond);
  return { perSecond: seconds.mean(wholeSeconds), perMinute: minutes.mean(wholeSeconds), inAll: all.size };
}

interface Windows {
  /** Seconds never go back. */
  add(second: number, account: number): void;
  /** Unique accounts of a whole window; null: there is none. */
  mean(wholeSeconds: number): number | null;
}

function createWindows(lengthSeconds: number): Windows {
  const counts: number[] = [];
  const unique = new Set<number>();
  let open = 0;
  return {
    add(second, account) {
      const window = Math.floor(second / lengthSeconds);
      if (window !== open) unique.clear();
      open = window;
      unique.add(account);
      counts[window] = unique.size;
    },
    mean(wholeSeconds) {
      const windows = Math.floor(wholeSeconds / lengthSeconds);
      if (windows === 0) return null;
      const sum = counts.slice(0, windows).reduce((total, count) => total + count, 0);
      return Math.round((10 * sum) / windows) / 10;
    },
  };
}
