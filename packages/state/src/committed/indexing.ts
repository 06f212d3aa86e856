/**
 * Indexing: folds the newest committed batch in steps, while the thread is idle.
 *
 *   commit --> readers and prepare use the overlay --> folded, the overlay is released
 *
 * The next commit waits for the folding. Folding waits for the commit, because it would compete with the commit's writes.
 */

import type { Overlay } from '../overlay/overlay.ts';
import type { Committed } from './committed.ts';
import { beginFolding, type FoldSome } from './fold.ts';

/** A step blocks the thread for about 2 ms at most. */
const KEYS_AT_ONCE = 2_048;

interface IndexingComponents {
  /** Yields the thread, above all to disk callbacks. */
  readonly pause: () => Promise<void>;
  readonly folded: (overlay: Overlay) => void;
}

export interface Indexing {
  /** The previous batch must be folded. */
  committed(overlay: Overlay): void;
  /** The committed batch that is not yet folded. */
  readonly unfolded: Overlay | undefined;
  /** Resolves once it is folded. */
  done(): Promise<void>;
  /** Folds it synchronously. */
  finish(): void;
}

export function createIndexing(committed: Committed, { pause, folded }: IndexingComponents): Indexing {
  let current: { readonly overlay: Overlay; readonly foldSome: FoldSome } | undefined;
  let running: Promise<void> | undefined;

  function step(keys: number): void {
    if (current === undefined || current.foldSome(keys)) return;
    const { overlay } = current;
    current = undefined;
    folded(overlay);
  }

  async function run(): Promise<void> {
    while (current !== undefined) {
      await pause();
      step(KEYS_AT_ONCE);
    }
    running = undefined;
  }

  return {
    committed(overlay) {
      current = { overlay, foldSome: beginFolding(committed, overlay) };
      running ??= run();
    },
    get unfolded() {
      return current?.overlay;
    },
    async done() {
      while (current !== undefined) await running;
    },
    finish() {
      while (current !== undefined) step(Number.POSITIVE_INFINITY);
    },
  };
}
