/**
 * Vain openings: what a validator may make this node decompress for nothing.
 *
 *   opened --> taken from its sender's allowance      stored --> given back      the allowance refills with time
 *
 * A compressed chunk shows only when it is opened that it is here already, has expired or is another's. An honest producer sends
 * some again: each chunkResendMs those without an ack, of which it has uncertifiedChunksMax, and after a restart all that are
 * pending. Whoever sends more than twice that in vain has what it sends next judged by its frame alone, new or not, until the
 * allowance has refilled. A full node's upstream passes on the chunks of all producers, and has an allowance for each of them.
 */
import type { Clock } from '@slipstream/ports';
import { CHUNK_MESSAGE_BYTES_MAX } from '@slipstream/types';
import type { DisseminationLimits } from '../limits.ts';

export interface DecompressionBudget {
  /** The largest content that may be opened for this member; never negative. */
  bytesLeft(member: number): number;
  charge(member: number, bytes: number): void;
  /** What was opened brought something. */
  refund(member: number, bytes: number): void;
}

/** Frame, header, hash of the header: 20 us, in which so much is decompressed. */
const LEAST_BYTES = 16 * 1024;
const HONEST_FACTOR = 2;
/** 64 MB a second: less than a tenth of a core. */
const SHARES_MAX = 8;

export function createDecompressionBudget(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  {
    producerBytesMax,
    uncertifiedChunksMax,
    chunkResendMs,
  }: Pick<DisseminationLimits, 'producerBytesMax' | 'uncertifiedChunksMax' | 'chunkResendMs'>,
  /** Producers whose chunks one sender passes on. */
  producers: number,
): DecompressionBudget {
  const shares = Math.min(producers, SHARES_MAX);
  const bytesMax = shares * producerBytesMax;
  const bytesPerMs = (shares * HONEST_FACTOR * uncertifiedChunksMax * CHUNK_MESSAGE_BYTES_MAX) / chunkResendMs;
  const left = new Map<number, { bytes: number; sinceMs: number }>();

  function allowanceOf(member: number): { bytes: number; sinceMs: number } {
    const nowMs = clock.monotonicMs();
    const allowance = left.get(member) ?? { bytes: bytesMax, sinceMs: nowMs };
    left.set(member, allowance);
    allowance.bytes = Math.min(bytesMax, allowance.bytes + (nowMs - allowance.sinceMs) * bytesPerMs);
    allowance.sinceMs = nowMs;
    return allowance;
  }

  return {
    bytesLeft: (member) => Math.max(0, Math.floor(allowanceOf(member).bytes)),
    charge(member, bytes) {
      allowanceOf(member).bytes -= Math.max(bytes, LEAST_BYTES);
    },
    refund(member, bytes) {
      allowanceOf(member).bytes += Math.max(bytes, LEAST_BYTES);
    },
  };
}
