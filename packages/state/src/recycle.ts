/**
 * Buffers of settled batches, for the next ones. A fresh buffer costs a page fault every 4 KiB, about 2 ms of a batch of 100,000;
 * and each that is let go brings V8's next full collection nearer, which stops the thread for 10 ms and more.
 *
 * INVARIANT: a buffer comes back only when nothing reads its overlay any more: it is folded, or dropped and off the disk.
 */

import { createBufferPool } from './buffer-pool.ts';
import { createGrowingList, type GrowingList } from './growing-list.ts';
import { createInteractions, type Interactions, type Overlay } from './overlay.ts';
import { createSegmentWriter, type SegmentWriter, segmentWords } from './segment-writer.ts';

export interface Recycler {
  writer(rowWords: number): SegmentWriter;
  interactions(expected: number): Interactions;
  /** An empty list. */
  list(): GrowingList;
  /** The overlay's buffers are empty from now on. */
  giveBack(overlay: Overlay): void;
}

/** As many batches are pending when blocks come fast: then as many buffers are on their way. */
const KEPT_MAX = 8;
/** Of each kind, all together: 32 MiB. */
const WORDS_MAX = 8_388_608;
/** Words of an interaction, slots included. */
const INTERACTION_WORDS = 12;
/** Slots are emptied for each batch: not many times more than it needs. */
const ROOM_MAX = 8;

export function createRecycler(): Recycler {
  const limits = { countMax: KEPT_MAX, sizeMax: WORDS_MAX };
  const words = createBufferPool<Int32Array>(({ length }) => length, limits);
  const interactions = createBufferPool<Interactions>(({ keyAt }) => keyAt.length, {
    countMax: KEPT_MAX,
    sizeMax: Math.floor(WORDS_MAX / INTERACTION_WORDS),
  });
  const lists = createBufferPool<GrowingList>(({ values }) => values.length, { ...limits, countMax: 2 * KEPT_MAX });

  return {
    writer(rowWords) {
      const needed = segmentWords(rowWords);
      return createSegmentWriter(words.take(needed) ?? new Int32Array(needed));
    },
    interactions(expected) {
      const kept = interactions.take(expected, ROOM_MAX * expected);
      if (kept === undefined) return createInteractions(expected);
      kept.length = 0;
      return kept;
    },
    list() {
      const kept = lists.takeLargest() ?? createGrowingList();
      kept.length = 0;
      return kept;
    },
    giveBack(overlay) {
      words.put(overlay.words);
      interactions.put(overlay.interactions);
      lists.put(overlay.diedSlot);
      lists.put(overlay.diedOrdinal);
      overlay.words = new Int32Array(0);
      overlay.interactions = createInteractions(0);
      overlay.diedSlot = createGrowingList();
      overlay.diedOrdinal = createGrowingList();
    },
  };
}
