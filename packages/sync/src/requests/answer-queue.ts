/**
 * Turns at answers that take a thread long: one at a time, and after each the thread is left to others for several times as long.
 *
 *   asked --> its turn --> made, told at once --> rest --> the next one's turn
 *
 * A question is a hundred bytes, its answer some milliseconds of reading, decoding and encoding, and whoever has it may ask again at once.
 * Without turns one stranger that asked for ranges took half of the thread that votes, and eight of them all of it.
 *
 * First come, first served. A peer has one question at a time in line (sync-server.ts), so each of them comes to its turn.
 */
import type { Clock } from '@slipstream/ports';

/** Settles as the answer does. */
export type AnswerQueue = <T>(answer: () => Promise<T>) => Promise<T>;

/** A thread that is busy with other things makes an answer seem long. */
const REST_MS_MAX = 200;

/** Answers are under way for at most one part in 1 + `rest` of the time. */
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
