/**
 * When rows are sent: those of one moment together, and a busy sender's a few times per window of its broker.
 *
 *   row --5 ms, and 50 ms after the messages before--> messages
 *
 * A broker begins a batch every 250 ms, and ends a stream that sends more than 200 messages per second: messages 5 ms apart would reach that.
 */
interface FlushTimer {
  /** Idempotent until it was done. */
  soon(): void;
  stop(): void;
}

const TOGETHER_MS = 5;
const APART_MS = 50;

export function createFlushTimer(flush: () => void, nowMs: () => number): FlushTimer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;

  function run(): void {
    timer = undefined;
    lastMs = nowMs();
    flush();
  }

  return {
    soon() {
      // A clock that was set back may not hold rows up.
      const waitMs = Math.min(APART_MS, lastMs + APART_MS - nowMs());
      timer ??= setTimeout(run, Math.max(TOGETHER_MS, waitMs));
    },
    stop: () => clearTimeout(timer),
  };
}
