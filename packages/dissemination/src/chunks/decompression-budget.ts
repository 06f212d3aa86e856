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
import { CHUNK_MESSAGE_BYTES_MAX } from '@slipstream/types';
import { CHUNK_RESEND_MS, type DisseminationLimits } from '../limits.ts';

interface DecompressionBudget {
  /** Never negative. */
  bytesLeft(member: number): number;
  charge(member: number, bytes: number): void;
  refund(member: number, bytes: number): void;
}

/** The least charge: reading frame and header takes 20 us, in which so much is decompressed. */
const LEAST_BYTES = 16 * 1024;
const HONEST_FACTOR = 2;
/** 64 MB per second: less than a tenth of a core. */
const SHARES_MAX = 8;

export function createDecompressionBudget(
  clock: MonotonicClock,
  { producerBytesMax, uncertifiedChunksMax }: Pick<DisseminationLimits, 'producerBytesMax' | 'uncertifiedChunksMax'>,
  /** `producers`: those whose chunks one sender relays. */
  { members, producers }: { readonly members: number; readonly producers: number },
): DecompressionBudget {
  const shares = Math.min(producers, SHARES_MAX);
  const bytesPerResend = shares * HONEST_FACTOR * uncertifiedChunksMax * CHUNK_MESSAGE_BYTES_MAX;
  const limiter = createRateLimiter<number>(clock, {
    rate: { perSecond: (bytesPerResend * 1_000) / CHUNK_RESEND_MS, burst: shares * producerBytesMax },
    keysMax: members,
    // A chunk is opened only within the budget.
    debtMax: LEAST_BYTES,
  });

  return {
    bytesLeft: (member) => Math.max(0, Math.floor(limiter.left(member))),
    charge: (member, bytes) => limiter.charge(member, Math.max(bytes, LEAST_BYTES)),
    refund: (member, bytes) => limiter.refund(member, Math.max(bytes, LEAST_BYTES)),
  };
}
