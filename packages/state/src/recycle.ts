/**
 * Buffers of settled batches, for the next ones: a fresh buffer costs a page fault every 4 KiB and garbage to collect, about
 * 2 ms of a batch of 100,000.
 *
 * INVARIANT: a buffer comes back only when nothing reads its overlay any more: it is committed, or dropped and off the disk.
 */
import { createInteractions, type Interactions, type Overlay } from './overlay.ts';
import { createSegmentWriter, type SegmentWriter } from './segment-writer.ts';

export interface Recycler {
  writer(recordWords: number): SegmentWriter;
  interactions(expected: number): Interactions;
  /** The overlay's buffers are empty from now on. */
  giveBack(overlay: Overlay): void;
}

/** One of each is kept, unless it is larger than this. */
const WORDS_MAX = 8_388_608;

export function createRecycler(): Recycler {
  let words: Int32Array | undefined;
  let kept: Interactions | undefined;

  return {
    writer(recordWords) {
      const writer = createSegmentWriter(recordWords, words);
      if (writer.words === words) words = undefined;
      return writer;
    },
    interactions(expected) {
      if (kept === undefined || kept.keyAt.length < expected || expected * 8 < kept.keyAt.length) {
        return createInteractions(expected);
      }
      const interactions = kept;
      kept = undefined;
      interactions.length = 0;
      return interactions;
    },
    giveBack(overlay) {
      if (overlay.words.length <= WORDS_MAX && overlay.words.length > (words?.length ?? 0)) words = overlay.words;
      if (overlay.interactions.keyAt.length <= WORDS_MAX / 8) kept = overlay.interactions;
      overlay.words = new Int32Array(0);
      overlay.interactions = createInteractions(0);
    },
  };
}
