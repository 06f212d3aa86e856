/**
 * Budgets: what strangers may make this node verify in vain.
 *
 * A token is taken before a costly check and given back when the check succeeds: so honest work is free, and a flood of bad
 * requests costs what the buckets refill. Each source (an address, a peer) has a bucket; so have all of them together, since
 * addresses are cheap. A source that is not kept any more starts anew: the bucket of all bounds that too.
 *
 *   take --check--> good: token back       bad: token spent, refills with time
 */
export interface BudgetLimits {
  /** Tokens of one source at most, and what comes back a second. */
  readonly sourceTokens: number;
  readonly sourceTokensPerSecond: number;
  /** Of all sources together. */
  readonly allTokens: number;
  readonly allTokensPerSecond: number;
  /** Sources kept; the one that was used longest ago goes. */
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

interface Bucket {
  tokens: number;
  sinceMs: number;
}

export function createBudgets(monotonicMs: () => number, limits: BudgetLimits): Budgets {
  /** Oldest use first. */
  const buckets = new Map<string, Bucket>();
  const all: Bucket = { tokens: limits.allTokens, sinceMs: monotonicMs() };
  let refusals = 0;

  function bucketOf(source: string): Bucket {
    const known = buckets.get(source);
    const bucket = known ?? { tokens: limits.sourceTokens, sinceMs: monotonicMs() };
    if (known !== undefined) buckets.delete(source);
    else if (buckets.size >= limits.sourcesMax) buckets.delete(buckets.keys().next().value as string);
    buckets.set(source, bucket);
    return bucket;
  }

  function refill(bucket: Bucket, tokensMax: number, perSecond: number): void {
    const nowMs = monotonicMs();
    bucket.tokens = Math.min(tokensMax, bucket.tokens + ((nowMs - bucket.sinceMs) * perSecond) / 1000);
    bucket.sinceMs = nowMs;
  }

  function take(source: string): boolean {
    const own = bucketOf(source);
    refill(own, limits.sourceTokens, limits.sourceTokensPerSecond);
    refill(all, limits.allTokens, limits.allTokensPerSecond);
    if (own.tokens < 1 || all.tokens < 1) {
      refusals += 1;
      return false;
    }
    own.tokens -= 1;
    all.tokens -= 1;
    return true;
  }

  function giveBack(source: string): void {
    const own = buckets.get(source);
    if (own) own.tokens = Math.min(limits.sourceTokens, own.tokens + 1);
    all.tokens = Math.min(limits.allTokens, all.tokens + 1);
  }

  return {
    of: (source) => ({ take: () => take(source), giveBack: () => giveBack(source) }),
    get refusals() {
      return refusals;
    },
  };
}
