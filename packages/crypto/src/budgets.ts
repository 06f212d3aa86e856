/**
 * Budgets: limits on the failed verifications that untrusted sources may cause.
 *
 * A costly check takes a token and returns it on success. Honest work is free, and a flood of bad requests costs no more than the refill.
 * Each source (an address, a peer) has a bucket. All sources share another one, because addresses are cheap; it also limits sources that
 * are evicted and start again.
 *
 *   take --check--> good: token back       bad: token spent, refills with time
 */
import { createRateLimiter, createTokenBucket, type MonotonicClock } from '@slipstream/primitives';

export interface BudgetLimits {
  /** Capacity and refill of a source's bucket. */
  readonly sourceTokens: number;
  readonly sourceTokensPerSecond: number;
  /** Capacity and refill of the shared bucket. */
  readonly allTokens: number;
  readonly allTokensPerSecond: number;
  /** Maximum number of stored buckets (primitives, "rate limiter"). */
  readonly sourcesMax: number;
}

export interface Budget {
  /** False when no token is left. */
  take(): boolean;
  giveBack(): void;
}

export interface Budgets {
  of(source: string): Budget;
  /** Times that `take` returned false. */
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
