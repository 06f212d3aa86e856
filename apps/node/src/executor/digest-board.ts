/** Who waits for the digest of which block. Digests of rivals may never come: a wait ends with its height's commit, well after. */
import { type BlockId, hexOf, type StateDigest } from '@slipstream/types';

export interface DigestBoard {
  /** The same promise for every call of one block. */
  of(blockId: BlockId, height: number): Promise<StateDigest>;
  settle(blockId: BlockId, digest: StateDigest): void;
  /** Lets go of whoever waits for a block far below. */
  committed(height: number): void;
}

/** Digests of committed blocks may still be asked for when consensus looks back; it never looks further. */
const HEIGHTS_KEPT = 256;
/** Waits at a time, rivals included; the oldest are let go. */
const WAITS_MAX = 16_384;

export function createDigestBoard(): DigestBoard {
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
    settle: (blockId, digest) => waits.get(hexOf(blockId))?.resolve(digest),
    committed(height) {
      for (const [hex, wait] of waits) if (wait.height <= height - HEIGHTS_KEPT) waits.delete(hex);
    },
  };
}
