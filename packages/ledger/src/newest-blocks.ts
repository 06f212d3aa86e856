/**
 * Index keys of the newest blocks, in memory.
 *
 * No span of block-index.ts covers them yet, so a look-up of an unknown transaction would read them all, and a span is built from them.
 * Committed blocks never change, so no entry becomes stale.
 */

import { type IndexKey, indexKeysOf } from './block-index.ts';
import { bodyAt } from './chain-reads.ts';
import type { LedgerTip } from './records.ts';
import type { SealedStore } from './sealed-store.ts';

/** Above the 17 heights without a span. Some 24 KB for a block of 1,000 transfers. */
const REMEMBERED_BLOCKS = 32;

export interface NewestBlocksIndex {
  /** False when a newest block does not contain the key. */
  mayContain(tip: LedgerTip, height: number, key: IndexKey): Promise<boolean>;
  /** Undefined: pruned. Throws LedgerError `corrupt`. */
  keysAt(height: number): Promise<Float64Array | undefined>;
  /** Of the block that is committed now. */
  remember(height: number, keys: Float64Array): void;
}

export function createNewestBlocksIndex(store: SealedStore): NewestBlocksIndex {
  const keysByHeight = new Map<number, Float64Array>();

  async function keysAt(height: number): Promise<Float64Array | undefined> {
    const known = keysByHeight.get(height);
    if (known !== undefined) return known;
    const found = await bodyAt(store, height);
    return found && indexKeysOf(found.body);
  }

  function remember(height: number, keys: Float64Array): void {
    keysByHeight.set(height, keys);
    forgetBelow(height - REMEMBERED_BLOCKS + 1);
  }

  function forgetBelow(lowest: number): void {
    for (const height of keysByHeight.keys()) if (height < lowest) keysByHeight.delete(height);
  }

  return {
    async mayContain(tip, height, key) {
      const lowest = tip.height - REMEMBERED_BLOCKS + 1;
      if (height < lowest) return true;
      const keys = await keysAt(height);
      if (keys !== undefined) keysByHeight.set(height, keys);
      forgetBelow(lowest);
      return keys?.includes(key) ?? true;
    },
    keysAt,
    remember,
  };
}
