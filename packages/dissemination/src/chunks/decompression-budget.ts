/**
 * Decompression budget: bytes that a validator may make this node decompress without use.
 *
 *   opened --> charged to its sender      stored --> refunded      the budget refills with time
 *
 * Only an opened chunk shows that it is known, expired or another producer's. Honest producers resend uncertifiedChunksMax chunks each
 * CHUNK_RESEND_MS, and all pending ones after a restart; above twice that, frames are judged compressed. A full node's upstream has a
 * budget for each producer.
 */
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';
import { CHUNK_MESSAGE_BYTES_MAX, COMMITTEE_MEMBERS_MAX } from '@slipstream/types';
import type { ValidatorName } from '../epochs/committees.ts';
import { CHUNK_RESEND_MS, type DisseminationLimits } from '../limits.ts';

interface DecompressionBudget {
  /** Never negative. */
  bytesLeft(member: ValidatorName): number;
  charge(member: ValidatorName, bytes: number): void;
  refund(member: ValidatorName, bytes: number): void;
}

type RateLimiter = ReturnType<typeof createRateLimiter<ValidatorName>>;

/** The least charge: reading frame and header takes 20 us, in which so much is decompressed. */
const LEAST_BYTES = 16 * 1024;
const HONEST_FACTOR = 2;
/** 64 MB per second: less than a tenth of a core. */
const SHARES_MAX = 8;

export function createDecompressionBudget(
  clock: MonotonicClock,
  { producerBytesMax, uncertifiedChunksMax }: Pick<DisseminationLimits, 'producerBytesMax' | 'uncertifiedChunksMax'>,
  /** Those whose chunks one sender relays. */
  producers: () => number,
): DecompressionBudget {
  /** By shares: a full node may become a validator. */
  const limiters = new Map<number, RateLimiter>();

  function limiter(): RateLimiter {
    const shares = Math.min(producers(), SHARES_MAX);
    const made = limiters.get(shares) ?? limiterOf(shares);
    limiters.set(shares, made);
    return made;
  }

  function limiterOf(shares: number): RateLimiter {
    const bytesPerResend = shares * HONEST_FACTOR * uncertifiedChunksMax * CHUNK_MESSAGE_BYTES_MAX;
    return createRateLimiter<ValidatorName>(clock, {
      rate: { perSecond: (bytesPerResend * 1_000) / CHUNK_RESEND_MS, burst: shares * producerBytesMax },
      keysMax: 2 * COMMITTEE_MEMBERS_MAX,
      // A chunk is opened only within the budget.
      debtMax: LEAST_BYTES,
    });
  }

  return {
    bytesLeft: (member) => Math.max(0, Math.floor(limiter().left(member))),
    charge: (member, bytes) => limiter().charge(member, Math.max(bytes, LEAST_BYTES)),
    refund: (member, bytes) => limiter().refund(member, Math.max(bytes, LEAST_BYTES)),
  };
}
