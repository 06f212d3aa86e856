/** Signals that end after a time, whatever number a caller gives for it. */

/** Timers of the platforms hold no more: about 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Rounded up; without end it is as long as a timer can be. */
export function deadlineAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(TIMER_MS_MAX, Math.max(0, Math.ceil(ms))));
}

export function eitherSignal(signal: AbortSignal | undefined, deadline: AbortSignal): AbortSignal {
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}
