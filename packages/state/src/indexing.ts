/**
 * Indexing: the work that no commit waits for, some keys at a time, whenever the thread has nothing else to do.
 *
 *   commit --> read as an overlay, as what is prepared on it is --> folded, the overlay goes
 *
 * At most one batch is committed and not folded: the next commit waits for it, which it does only when batches come faster than
 * the thread can index them. Nothing is done before the commit, as it would share memory and processors with the writes that
 * the commit waits for: all of the work done beside them cost a batch of 100,000 up to 8 ms of 20.
 */
import type { Committed } from './committed.ts';
import { beginFolding, type FoldSome } from './fold.ts';
import type { Overlay } from './overlay.ts';

/** 50 to 200 us of 100,000 keys, up to 2 ms of keys all over ten million: so long may others wait for the thread. */
const KEYS_AT_ONCE = 2_048;

interface IndexingComponents {
  /** Lets what waits for this thread have its turn: a look at the disk, above all. */
  readonly pause: () => Promise<void>;
  /** The batch is in the index. */
  readonly folded: (overlay: Overlay) => void;
}

interface Indexing {
  /** The batch is part of the state. The one before must be folded. */
  committed(overlay: Overlay): void;
  /** Committed and not folded. */
  readonly unfolded: Overlay | undefined;
  /** When that one is folded. */
  done(): Promise<void>;
  /** Folds it at once. */
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
