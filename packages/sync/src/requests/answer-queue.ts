/**
 * Answer queue: one long answer at a time, each followed by a rest several times as long, so that requests cannot occupy the thread that
 * votes.
 *
 *   request --> queue --> answer made and sent --> rest --> next request
 *
 * First come, first served; a peer has one request at a time here (server.ts), so no peer starves another.
 */
import type { Clock } from '@slipstream/ports';

/** Runs synchronous work and counts its time. */
type Work = <R>(make: () => R) => R;

/** `work`: where the answer uses it, only that time is followed by rest. Waiting for the disk, behind other work of the thread, costs it nothing. */
export type AnswerQueue = <T>(answer: (work: Work) => Promise<T>) => Promise<T>;

/** Other work of the thread lengthens the measured time of an answer. */
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
      let workedMs: number | undefined;
      const work: Work = (make) => {
        const sinceMs = clock.monotonicMs();
        const made = make();
        workedMs = (workedMs ?? 0) + clock.monotonicMs() - sinceMs;
        return made;
      };
      try {
        return await answer(work);
      } finally {
        end(restAfter(workedMs ?? clock.monotonicMs() - beganMs));
      }
    });
  };
}
