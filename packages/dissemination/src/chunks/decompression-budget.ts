/**
 * Decompression budget: how many bytes a validator may make this node decompress without use.
 *
 *   opened --> charged to its sender      stored --> refunded      the budget refills with time
 *
 * Only an opened chunk shows that it is known, has expired or is another producer's. An honest producer sends some again: each
 * CHUNK_RESEND_MS those without an ack, of which it has uncertifiedChunksMax, and after a restart all that are pending. A sender beyond
 * twice that has its frames judged without decompression until the budget has refilled. A full node's upstream passes on the chunks
 * of all producers, and has a budget for each of them.
 */
import { createRateLimiter, type MonotonicClock } from '@slipstream/primitives';
import { CHUNK_MESSAGE_BYTES_MAX } from '@slipstream/types';
import { CHUNK_RESEND_MS, type DisseminationLimits } from '../limits.ts';

interface DecompressionBudget {
  /** The largest content that may be opened for this member; never negative. */
  bytesLeft(member: number): number;
  charge(member: number, bytes: number): void;
  /** The opened chunk was stored. */
  refund(member: number, bytes: number): void;
}

/** The least that is charged: frame, header and hash of the header take 20 us, in which so much is decompressed. */
const LEAST_BYTES = 16 * 1024;
const HONEST_FACTOR = 2;
/** 64 MB per second: less than a tenth of a core. */
const SHARES_MAX = 8;

export function createDecompressionBudget(
  clock: MonotonicClock,
  { producerBytesMax, uncertifiedChunksMax }: Pick<DisseminationLimits, 'producerBytesMax' | 'uncertifiedChunksMax'>,
  /** Members of the committee, and those whose chunks one sender passes on. */
  { members, producers }: { readonly members: number; readonly producers: number },
): DecompressionBudget {
  const shares = Math.min(producers, SHARES_MAX);
  const bytesPerResend = shares * HONEST_FACTOR * uncertifiedChunksMax * CHUNK_MESSAGE_BYTES_MAX;
  const limiter = createRateLimiter<number>(clock, {
    rate: { perSecond: (bytesPerResend * 1_000) / CHUNK_RESEND_MS, burst: shares * producerBytesMax },
    keysMax: members,
    // A chunk is opened only when there is budget for it.
    debtMax: LEAST_BYTES,
  });

  return {
    bytesLeft: (member) => Math.max(0, Math.floor(limiter.left(member))),
    charge: (member, bytes) => limiter.charge(member, Math.max(bytes, LEAST_BYTES)),
    refund: (member, bytes) => limiter.refund(member, Math.max(bytes, LEAST_BYTES)),
  };
}
