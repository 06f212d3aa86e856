/**
 * Unique accounts that sent or received something that became final, by the second and the minute in which it was due.
 *
 * Vryx's devnet (2024) counts so: 2.5 million of 10 million a minute, 95,000 a second, at 100,000 transfers per second.
 */

import { to0x } from '@slipstream/primitives';
import type { End } from '../fate/sent-transactions.ts';
import { ID_BYTES, type SignedBatch } from '../signing/signed-batch.ts';
import { PLAN_BLOCK_TRANSFERS, planBlock, type Workload } from '../workload/transfer-plan.ts';

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
    const plan = planBlock(workload, firstBlock + index);
    for (let i = 0; i < batch.count; i++) {
      const second = Math.floor(due++ / transactionsPerSecond);
      if (fates.get(to0x(batch.ids.subarray(i * ID_BYTES, (i + 1) * ID_BYTES))) !== 'final') continue;
      const transfer = plan[i % PLAN_BLOCK_TRANSFERS];
      if (transfer === undefined) continue;
      for (const account of [transfer.sender, transfer.receiver]) {
        seconds.add(second, account);
        minutes.add(second, account);
        all.add(account);
      }
    }
  }
  const wholeSeconds = Math.floor(due / transactionsPerSecond);
  return { perSecond: seconds.mean(wholeSeconds), perMinute: minutes.mean(wholeSeconds), inAll: all.size };
}

function createWindows(lengthSeconds: number) {
  const counts: number[] = [];
  let open = -1;
  const unique = new Set<number>();
  const close = () => {
    if (open >= 0) counts[open] = unique.size;
    unique.clear();
  };
  return {
    /** Seconds never go back. */
    add(second: number, account: number): void {
      const window = Math.floor(second / lengthSeconds);
      if (window !== open) {
        close();
        open = window;
      }
      unique.add(account);
    },
    mean(wholeSeconds: number): number | null {
      if (open >= 0) counts[open] = unique.size;
      const windows = Math.floor(wholeSeconds / lengthSeconds);
      if (windows === 0) return null;
      let sum = 0;
      for (let window = 0; window < windows; window++) sum += counts[window] ?? 0;
      return Math.round((10 * sum) / windows) / 10;
    },
  };
}
