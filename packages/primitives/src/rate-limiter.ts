/**
 * Rate limiter: one token bucket per key, in bounded memory.
 *
 *   key --> bucket: refills by perSecond up to burst --take--> all tokens if there are enough, else none
 *                                                    \--charge--> always, down to a debt of debtMax
 *
 * BOUND. At most keysMax buckets are stored; one that equals a new one is not. A new key beyond keysMax evicts, of the EXAMINED buckets
 * examined longest ago, the one nearest to a new one; the others go to the end of the line. An attacker's debt is evicted only when
 * EXAMINED - 1 others owe more, so it must keep nearly all keys as deep in debt: keysMax times its gain. Where keys are cheap, the caller
 * adds a shared bucket.
 */
export interface Rate {
  /** Refill in tokens. */
  readonly perSecond: number;
  /** A full bucket. */
  readonly burst: number;
  /** Tokens of a new key; default: a full bucket. */
  readonly initial?: number;
}

interface RateLimit<K> {
  readonly rate: Rate | ((key: K) => Rate);
  readonly keysMax: number;
  /** How far `charge` may overdraw a bucket; default 0. */
  readonly debtMax?: number;
}

export interface MonotonicClock {
  monotonicMs(): number;
}

interface RateLimiter<K> {
  /** Current tokens; negative: debt. */
  left(key: K): number;
  /** Takes all of the tokens or none. */
  take(key: K, tokens?: number): boolean;
  /** Takes the tokens even if they are missing. */
  charge(key: K, tokens: number): void;
  /** Returns unused tokens. */
  refund(key: K, tokens: number): void;
  /** Time until this many tokens are available; 0: now. */
  waitMs(key: K, tokens?: number): number;
  /** Stored buckets. */
  readonly size: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Buckets that an eviction compares. */
const EXAMINED = 8;

export function createRateLimiter<K>(
  clock: MonotonicClock,
  { rate: given, keysMax, debtMax = 0 }: RateLimit<K>,
): RateLimiter<K> {
  const rateOf = typeof given === 'function' ? given : () => given;
  /** Examined longest ago first. */
  const buckets = new Map<K, Bucket>();

  /** Reads do not store the refill: repeated rounding would drift. */
  function left(key: K): number {
    const bucket = buckets.get(key);
    const rate = rateOf(key);
    if (bucket === undefined) return initialOf(rate);
    const refill = ((clock.monotonicMs() - bucket.atMs) * rate.perSecond) / 1_000;
    const tokens = Math.min(rate.burst, bucket.tokens + refill);
    if (isLikeNew(tokens, rate)) buckets.delete(key);
    return tokens;
  }

  function set(key: K, tokens: number): void {
    const bucket = buckets.get(key);
    const atMs = clock.monotonicMs();
    if (bucket !== undefined) {
      bucket.tokens = tokens;
      bucket.atMs = atMs;
    } else if (!isLikeNew(tokens, rateOf(key))) {
      if (buckets.size >= keysMax) evict();
      buckets.set(key, { tokens, atMs });
    }
  }

  function evict(): void {
    const examined = [...buckets.keys().take(EXAMINED)];
    let evicted = examined[0] as K;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const key of examined) {
      const distanceMs = msFromNew(left(key), rateOf(key));
      if (distanceMs >= leastMs) continue;
      evicted = key;
      leastMs = distanceMs;
    }
    for (const key of examined) {
      const bucket = buckets.get(key);
      buckets.delete(key);
      if (bucket !== undefined && key !== evicted) buckets.set(key, bucket);
    }
  }

  return {
    left,
    take(key, tokens = 1) {
      const had = left(key);
      if (had < tokens) return false;
      set(key, had - tokens);
      return true;
    },
    charge(key, tokens) {
      set(key, Math.max(-debtMax, left(key) - tokens));
    },
    refund(key, tokens) {
      const { burst } = rateOf(key);
      const had = left(key);
      if (had < burst) set(key, Math.min(burst, had + tokens));
    },
    waitMs: (key, tokens = 1) => msUntil(tokens, left(key), rateOf(key)),
    get size() {
      return buckets.size;
    },
  };
}

/** A rate limiter with one bucket. */
interface TokenBucket {
  readonly left: number;
  take(tokens?: number): boolean;
  charge(tokens: number): void;
  refund(tokens: number): void;
  waitMs(tokens?: number): number;
}

export function createTokenBucket(clock: MonotonicClock, rate: Rate, debtMax = 0): TokenBucket {
  const limiter = createRateLimiter<undefined>(clock, { rate, debtMax, keysMax: 1 });
  return {
    get left() {
      return limiter.left(undefined);
    },
    take: (tokens) => limiter.take(undefined, tokens),
    charge: (tokens) => limiter.charge(undefined, tokens),
    refund: (tokens) => limiter.refund(undefined, tokens),
    waitMs: (tokens) => limiter.waitMs(undefined, tokens),
  };
}

function msUntil(tokens: number, left: number, { perSecond }: Rate): number {
  return left >= tokens ? 0 : Math.max(1, Math.ceil(((tokens - left) * 1_000) / perSecond));
}

function initialOf({ burst, initial = burst }: Rate): number {
  return initial;
}

/** Full and constant: a bucket with fewer `initial` tokens refills, unlike one that was never used. */
function isLikeNew(tokens: number, rate: Rate): boolean {
  return tokens === rate.burst && initialOf(rate) === rate.burst;
}

/** Distance from a new bucket, in ms of refill. */
function msFromNew(tokens: number, rate: Rate): number {
  const distance = Math.abs(tokens - initialOf(rate));
  return distance === 0 ? 0 : (distance * 1_000) / rate.perSecond;
}
