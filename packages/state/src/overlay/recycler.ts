/**
 * Reuses the buffers of finished batches: fresh ones cost page faults, and released ones bring V8's next full collection nearer.
 *
 * INVARIANT: a buffer comes back only when nothing reads its overlay: it is folded, or dropped and off the disk.
 */

import { createSegmentWriter, type SegmentWriter, segmentWords } from '../log/segment-writer.ts';
import { createBufferPool } from '../typed-arrays/buffer-pool.ts';
import { createGrowingList, type GrowingList } from '../typed-arrays/growing-list.ts';
import { createInteractions, type Interactions, type Overlay } from './overlay.ts';

export interface Recycler {
  writer(rowWords: number): SegmentWriter;
  interactions(expected: number): Interactions;
  list(): GrowingList;
  /** The overlay's buffers are empty afterwards. */
  giveBack(overlay: Overlay): void;
}

/** As many batches as may be pending at a high block rate. */
const BUFFERS_MAX = 8;
/** Per kind of buffer, in total: 32 MiB. */
const WORDS_MAX = 8_388_608;
/** Words of an interaction, slots included. */
const INTERACTION_WORDS = 12;
/** Slots are cleared for each batch, so a buffer must not be much too large. */
const EXCESS_MAX = 8;

export function createRecycler(): Recycler {
  const limits = { countMax: BUFFERS_MAX, sizeMax: WORDS_MAX };
  const words = createBufferPool<Int32Array>(({ length }) => length, limits);
  const interactions = createBufferPool<Interactions>(({ keyAt }) => keyAt.length, {
    countMax: BUFFERS_MAX,
    sizeMax: Math.floor(WORDS_MAX / INTERACTION_WORDS),
  });
  const lists = createBufferPool<GrowingList>(({ values }) => values.length, { ...limits, countMax: 2 * BUFFERS_MAX });

  return {
    writer(rowWords) {
      const needed = segmentWords(rowWords);
      return createSegmentWriter(words.take(needed) ?? new Int32Array(needed));
    },
    interactions(expected) {
      const reused = interactions.take(expected, EXCESS_MAX * expected);
      if (reused === undefined) return createInteractions(expected);
      reused.length = 0;
      return reused;
    },
    list() {
      const reused = lists.takeLargest() ?? createGrowingList();
      reused.length = 0;
      return reused;
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
