/**
 * Member quota: pending chunks and their bytes for each validator that sent them unasked, over all epochs. Chunks requested by id count for
 * no member: a leader may invent chunks in a validator's name.
 */
import type { ValidatorName } from '../epochs/committees.ts';
import type { DisseminationLimits } from '../limits.ts';

interface ChargedChunk {
  /** Undefined: requested by id, or from the log. */
  readonly chargedTo?: ValidatorName | undefined;
  readonly bytes: Uint8Array;
}

export interface MemberQuota {
  add(chunk: ChargedChunk): void;
  remove(chunk: ChargedChunk): void;
  /** 0 when the member has the maximum of chunks. */
  bytesLeft(member: ValidatorName): number;
  /** The larger of the used shares of bytes and chunks. */
  shareUsed(member: ValidatorName): number;
  /** Uncharged ones included. */
  readonly bytes: number;
}

/** A full node's upstream relays all producers' chunks. */
const SHARES_MAX = 8;

export function createMemberQuota(
  { producerBytesMax, producerChunksMax }: Pick<DisseminationLimits, 'producerBytesMax' | 'producerChunksMax'>,
  /** Whose chunks one sender relays. */
  producers: () => number,
): MemberQuota {
  const chunksMax = () => producerChunksMax * Math.min(producers(), SHARES_MAX);
  const charged = new Map<ValidatorName, { bytes: number; chunks: number }>();
  let total = 0;

  function change({ chargedTo, bytes: { length } }: ChargedChunk, sign: 1 | -1): void {
    total += sign * length;
    if (chargedTo === undefined) return;
    const { bytes, chunks } = of(chargedTo);
    if (chunks + sign === 0) charged.delete(chargedTo);
    else charged.set(chargedTo, { bytes: bytes + sign * length, chunks: chunks + sign });
  }

  function of(member: ValidatorName): { readonly bytes: number; readonly chunks: number } {
    return charged.get(member) ?? { bytes: 0, chunks: 0 };
  }

  return {
    add: (chunk) => change(chunk, 1),
    remove: (chunk) => change(chunk, -1),
    bytesLeft(member) {
      const { bytes, chunks } = of(member);
      return chunks >= chunksMax() ? 0 : Math.max(0, producerBytesMax - bytes);
    },
    shareUsed(member) {
      const { bytes, chunks } = of(member);
      return Math.max(bytes / producerBytesMax, chunks / chunksMax());
    },
    get bytes() {
      return total;
    },
  };
}
