/**
 * Status changes of transactions that were submitted here, as events: a sample.
 *
 * The event stream has one bounded buffer for all events; thousands of statuses per second would push all other events out of it.
 */
import type { Clock } from '@slipstream/ports';

/** Enough for a person who sends by hand. */
const SAMPLES_PER_SECOND = 50;

/** The returned function is called for each change; true: publish it. */
export function createStatusSamples(clock: Pick<Clock, 'monotonicMs'>): () => boolean {
  let second = 0;
  let samples = 0;
  return () => {
    const now = Math.floor(clock.monotonicMs() / 1000);
    if (now !== second) samples = 0;
    second = now;
    samples += 1;
    return samples <= SAMPLES_PER_SECOND;
  };
}
