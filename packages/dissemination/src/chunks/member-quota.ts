/**
 * Member quota: how many pending chunks, and bytes of them, each member may have here.
 *
 * A chunk counts for the member that sent it unasked. A chunk that was requested by id counts for no member: a block needs it, and a
 * leader that invents chunks in a validator's name must not use up that validator's quota.
 */
import type { DisseminationLimits } from '../limits.ts';

interface ChargedChunk {
  /** The member whose quota it takes; undefined: it was requested by id, or is of the log. */
  readonly chargedTo?: number | undefined;
  readonly bytes: Uint8Array;
}

export interface MemberQuota {
  add(chunk: ChargedChunk): void;
  remove(chunk: ChargedChunk): void;
  /** Bytes that this member may still have pending here; 0 when it has the maximum of chunks. */
  bytesLeft(member: number): number;
  /** The larger of the shares of bytes and chunks that this member has used. */
  shareUsed(member: number): number;
  /** Of all chunks, those that count for no member included. */
  readonly bytes: number;
}

/** A full node's upstream passes on the chunks of all producers; the maximum of chunks grows up to so many times for it. */
const SHARES_MAX = 8;

export function createMemberQuota(
  { producerBytesMax, producerChunksMax }: Pick<DisseminationLimits, 'producerBytesMax' | 'producerChunksMax'>,
  /** Producers whose chunks one sender passes on. */
  producers: number,
): MemberQuota {
  const chunksMax = producerChunksMax * Math.min(producers, SHARES_MAX);
  const charged = new Map<number, { bytes: number; chunks: number }>();
  let total = 0;

  function change({ chargedTo, bytes: { length } }: ChargedChunk, sign: 1 | -1): void {
    total += sign * length;
    if (chargedTo === undefined) return;
    const { bytes, chunks } = of(chargedTo);
    charged.set(chargedTo, { bytes: bytes + sign * length, chunks: chunks + sign });
  }

  function of(member: number): { readonly bytes: number; readonly chunks: number } {
    return charged.get(member) ?? { bytes: 0, chunks: 0 };
  }

  return {
    add: (chunk) => change(chunk, 1),
    remove: (chunk) => change(chunk, -1),
    bytesLeft(member) {
      const { bytes, chunks } = of(member);
      return chunks >= chunksMax ? 0 : Math.max(0, producerBytesMax - bytes);
    },
    shareUsed(member) {
      const { bytes, chunks } = of(member);
      return Math.max(bytes / producerBytesMax, chunks / chunksMax);
    },
    get bytes() {
      return total;
    },
  };
}
