/**
 * Answer queue: long answers are made one at a time, and each is followed by a rest several times as long, for other work of the thread.
 *
 *   request --> its turn --> answer made and sent --> rest --> next request
 *
 * Without the queue a few peers that repeat small requests for ranges could occupy the whole thread that votes.
 *
 * First come, first served. A peer has one request at a time in the queue (server.ts), so no peer starves another.
 */
import type { Clock } from '@slipstream/ports';

/** Settles as the answer does. */
export type AnswerQueue = <T>(answer: () => Promise<T>) => Promise<T>;

/** Bounds the rest: other work of the thread lengthens the measured time of an answer. */
const REST_MS_MAX = 200;

/** Answers take at most one part in 1 + `rest` of the time. */
export function createAnswerQueue(clock: Pick<Clock, 'monotonicMs' | 'after'>, rest: number): AnswerQueue {
  let free: Promise<void> = Promise.resolve();

  function restAfter(tookMs: number): Promise<void> {
    if (tookMs <= 0) return Promise.resolve();
    return new Promise((resolve) => void clock.after(Math.min(rest * tookMs, REST_MS_MAX), resolve));
  }

  return (answer) => {
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const turn = free;
    free = over;
    return turn.then(async () => {
      const beganMs = clock.monotonicMs();
      try {
        return await answer();
      } finally {
        end(restAfter(clock.monotonicMs() - beganMs));
      }
    });
  };
}
