/**
 * Budgets: how much failing verification strangers may cause.
 *
 * A token is taken before a costly check and given back when the check succeeds: honest work is free, and a flood of bad requests
 * costs no more than the refill. Each source (an address, a peer) has a bucket. All of them together have another, since addresses are
 * cheap; it also bounds sources that are evicted and start again.
 *
 *   take --check--> good: token back       bad: token spent, refills with time
 */
import { createRateLimiter, createTokenBucket, type MonotonicClock } from '@slipstream/primitives';

export interface BudgetLimits {
  /** A full bucket of one source, and its refill. */
  readonly sourceTokens: number;
  readonly sourceTokensPerSecond: number;
  /** Of all sources together. */
  readonly allTokens: number;
  readonly allTokensPerSecond: number;
  /** Sources whose buckets are stored (primitives, "rate limiter"). */
  readonly sourcesMax: number;
}

export interface Budget {
  /** False: not now. */
  take(): boolean;
  giveBack(): void;
}

export interface Budgets {
  of(source: string): Budget;
  /** Times that `take` said no. */
  readonly refusals: number;
}

export function createBudgets(clock: MonotonicClock, limits: BudgetLimits): Budgets {
  const sources = createRateLimiter<string>(clock, {
    rate: { perSecond: limits.sourceTokensPerSecond, burst: limits.sourceTokens },
    keysMax: limits.sourcesMax,
  });
  const all = createTokenBucket(clock, { perSecond: limits.allTokensPerSecond, burst: limits.allTokens });
  let refusals = 0;

  function take(source: string): boolean {
    if (sources.left(source) < 1 || !all.take()) {
      refusals += 1;
      return false;
    }
    return sources.take(source);
  }

  function giveBack(source: string): void {
    sources.refund(source, 1);
    all.refund(1);
  }

  return {
    of: (source) => ({ take: () => take(source), giveBack: () => giveBack(source) }),
    get refusals() {
      return refusals;
    },
  };
}
