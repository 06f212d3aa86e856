/**
 * Status changes of transactions submitted here.
 *
 *   tracker --> gathered for a turn of the event loop --> submission streams: all of them
 *                                                    \--> event stream: a sample
 *
 * All statuses would push other events out of the event stream's bounded buffer.
 */
import type { TransactionMove, TransactionMoves } from '@slipstream/api';
import type { Clock } from '@slipstream/ports';

/** Enough for manual sending. */
const SAMPLES_PER_SECOND = 50;

interface MoveFeed extends TransactionMoves {
  moved(move: TransactionMove): void;
}

export function createMoveFeed(
  clock: Pick<Clock, 'after' | 'monotonicMs'>,
  sample: (move: TransactionMove) => void,
): MoveFeed {
  const listeners = new Set<(moves: readonly TransactionMove[]) => void>();
  let gathered: TransactionMove[] = [];
  let second = 0;
  let samples = 0;

  function flush(): void {
    const moves = gathered;
    gathered = [];
    for (const listener of listeners) listener(moves);
  }

  function isSampled(): boolean {
    const now = Math.floor(clock.monotonicMs() / 1000);
    if (now !== second) samples = 0;
    second = now;
    samples += 1;
    return samples <= SAMPLES_PER_SECOND;
  }

  return {
    moved(move) {
      if (gathered.length === 0) clock.after(0, flush);
      gathered.push(move);
      if (isSampled()) sample(move);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
