/**
 * Chooses the status changes of transactions submitted here that become events.
 *
 * The event stream has one bounded buffer for all events; thousands of statuses per second would push all other events out of it.
 */
import type { Clock } from '@slipstream/ports';

/** All changes of a person who sends by hand are among them. */
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
