/**
 * Index keys of the newest blocks, cached by a reader.
 *
 * No span of block-index.ts covers them yet, so a look-up of an unknown transaction would read them all. Committed blocks never change,
 * so no entry becomes stale.
 */

import { eachIndexKeyOfBlock, type IndexKey } from './block-index.ts';
import { blockIdAt } from './chain-reads.ts';
import type { LedgerTip } from './records.ts';
import type { SealedStore } from './sealed-store.ts';

/** Above the 17 heights without a span. Some 24 KB for a block of 1,000 transfers. */
const REMEMBERED_BLOCKS = 32;

export interface NewestBlocksIndex {
  /** False when a newest block does not contain the key. */
  mayContain(tip: LedgerTip, height: number, key: IndexKey): Promise<boolean>;
}

export function createNewestBlocksIndex(store: SealedStore): NewestBlocksIndex {
  const keysByHeight = new Map<number, Float64Array>();

  async function keysOf(height: number): Promise<Float64Array | undefined> {
    const known = keysByHeight.get(height);
    if (known !== undefined) return known;
    const keys = new Set<IndexKey>();
    const blockId = await blockIdAt(store, height);
    const isHere = blockId !== undefined && (await eachIndexKeyOfBlock(store, blockId, (key) => keys.add(key)));
    if (!isHere) return undefined; // pruned, or damaged, which the block's reader reports
    const read = Float64Array.from(keys);
    keysByHeight.set(height, read);
    return read;
  }

  function forgetBelow(lowest: number): void {
    for (const height of keysByHeight.keys()) if (height < lowest) keysByHeight.delete(height);
  }

  return {
    async mayContain(tip, height, key) {
      const lowest = tip.height - REMEMBERED_BLOCKS + 1;
      if (height < lowest) return true;
      const keys = await keysOf(height);
      forgetBelow(lowest);
      return keys?.includes(key) ?? true;
    },
  };
}
