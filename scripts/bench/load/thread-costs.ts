/** What a transaction costs each thread of a node, and how long the thread waited for a processor meanwhile. */
import { type ThreadUse, usedSince } from '@slipstream/app-loadgen';
import { threadOf } from '../costs/use.ts';

interface ThreadCost {
  /** As threadOf names it. */
  readonly thread: string;
  /** Processor time a transaction, us. */
  readonly us: number;
  /** Of the time, in which a thread of the name was ready and had no processor; above 1 where several were. */
  readonly waitedShare: number;
}

interface MeasuredWindow {
  readonly seconds: number;
  readonly transactions: number;
}

const US_PER_SECOND = 1e6;
/** Less is not shown. */
const SHOWN_US_MIN = 0.5;

/** Dearest first. */
export function threadCosts(
  before: readonly ThreadUse[],
  after: readonly ThreadUse[],
  { seconds, transactions }: MeasuredWindow,
): readonly ThreadCost[] {
  const costs = new Map<string, ThreadCost>();
  for (const { name, cpuSeconds, waitedSeconds } of usedSince(before, after)) {
    const thread = threadOf(name);
    const { us, waitedShare } = costs.get(thread) ?? { us: 0, waitedShare: 0 };
    costs.set(thread, {
      thread,
      us: us + (US_PER_SECOND * cpuSeconds) / transactions,
      waitedShare: waitedShare + waitedSeconds / seconds,
    });
  }
  return [...costs.values()].toSorted((a, b) => b.us - a.us);
}

/** One line. */
export function threadCostsText(costs: readonly ThreadCost[]): string {
  const sum = costs.reduce((total, { us }) => total + us, 0);
  const each = costs
    .filter(({ us }) => us >= SHOWN_US_MIN)
    .map(({ thread, us, waitedShare }) => `${thread} ${us.toFixed(1)} (waited ${Math.round(100 * waitedShare)} %)`);
  return `us a transaction: ${sum.toFixed(1)}, of it ${each.join(', ')}`;
}
