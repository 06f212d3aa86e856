/** Platform timers hold 2^31 - 1 ms, about 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Rounds up; clamps to 0 and the timer's maximum. */
export function deadlineAfter(ms: number): AbortSignal {
  return AbortSignal.timeout(Math.min(TIMER_MS_MAX, Math.max(0, Math.ceil(ms))));
}

export function eitherSignal(signal: AbortSignal | undefined, deadline: AbortSignal): AbortSignal {
  return signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
}
