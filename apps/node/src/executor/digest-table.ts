/** Waits for digests of blocks. A rival's digest may never come, so a wait ends long after the commit of its height. */
import { type BlockId, hexOf, type StateDigest } from '@slipstream/types';

interface DigestTable {
  /** Returns one promise per block. */
  of(blockId: BlockId, height: number): Promise<StateDigest>;
  resolve(blockId: BlockId, digest: StateDigest): void;
  committed(height: number): void;
}

/** Consensus asks for digests of at most this many heights below the committed one. */
const HEIGHTS_RETAINED = 256;
/** Rivals included; the oldest waits are dropped. */
const WAITS_MAX = 16_384;

export function createDigestTable(): DigestTable {
  const waits = new Map<string, PromiseWithResolvers<StateDigest> & { readonly height: number }>();

  return {
    of(blockId, height) {
      const hex = hexOf(blockId);
      const known = waits.get(hex);
      if (known) return known.promise;
      const wait = { ...Promise.withResolvers<StateDigest>(), height };
      waits.set(hex, wait);
      if (waits.size > WAITS_MAX) waits.delete(waits.keys().next().value as string);
      return wait.promise;
    },
    resolve: (blockId, digest) => waits.get(hexOf(blockId))?.resolve(digest),
    committed(height) {
      for (const [hex, wait] of waits) if (wait.height <= height - HEIGHTS_RETAINED) waits.delete(hex);
    },
  };
}
