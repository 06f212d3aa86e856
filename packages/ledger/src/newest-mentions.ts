/**
 * What the newest blocks mention, remembered by a reader.
 *
 * No span covers them yet, so they are named for every key that is looked for (mentions.ts): without this, a look-up of a
 * transaction that the chain does not hold read all of them, and so did one of an old account. A committed block never changes,
 * so what is remembered of a height stays true.
 */
import { blockIdAt } from './chain-reads.ts';
import { eachMentionOfBlock, type MentionKey } from './mentions.ts';
import type { LedgerTip } from './records.ts';
import type { SealedStore } from './sealed-store.ts';

/** Above the 17 heights that a span may still be missing for. Eight bytes a key: some 24 KB for a block of 1,000 transfers. */
export const REMEMBERED_BLOCKS = 32;

export interface NewestMentions {
  /** False when the block of this height is a new one and does not mention the key: it need not be read. */
  mayMention(tip: LedgerTip, height: number, key: MentionKey): Promise<boolean>;
}

export function createNewestMentions(store: SealedStore): NewestMentions {
  const keysByHeight = new Map<number, Float64Array>();

  async function keysOf(height: number): Promise<Float64Array | undefined> {
    const known = keysByHeight.get(height);
    if (known !== undefined) return known;
    const keys = new Set<MentionKey>();
    const blockId = await blockIdAt(store, height);
    const isHere = blockId !== undefined && (await eachMentionOfBlock(store, blockId, (key) => keys.add(key)));
    if (!isHere) return undefined; // pruned meanwhile, or damaged: whoever reads the block finds out
    const read = Float64Array.from(keys);
    keysByHeight.set(height, read);
    return read;
  }

  function forgetBelow(lowest: number): void {
    for (const height of keysByHeight.keys()) if (height < lowest) keysByHeight.delete(height);
  }

  return {
    async mayMention(tip, height, key) {
      const lowest = tip.height - REMEMBERED_BLOCKS + 1;
      if (height < lowest) return true;
      const keys = await keysOf(height);
      forgetBelow(lowest);
      return keys?.includes(key) ?? true;
    },
  };
}
