/**
 * Budgets: limits on the failed verifications that untrusted sources may cause.
 *
 *   take --check--> good: token back       bad: token spent, refills with time
 *
 * Honest work is free; a flood of bad requests costs no more than the refill. Each source (address, peer) has a bucket. All share another
 * one, because addresses are cheap and evicted sources start again.
 */
import { createRateLimiter, createTokenBucket, type MonotonicClock } from '@slipstream/primitives';

export interface BudgetLimits {
  readonly sourceTokens: number;
  readonly sourceTokensPerSecond: number;
  readonly allTokens: number;
  readonly allTokensPerSecond: number;
  /** Stored buckets (primitives, "rate limiter"). */
  readonly sourcesMax: number;
}

export interface Budget {
  take(): boolean;
  giveBack(): void;
}

export interface Budgets {
  of(source: string): Budget;
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
