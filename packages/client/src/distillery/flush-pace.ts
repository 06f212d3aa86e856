/**
 * When rows are sent: those of one moment together, and a busy sender's a few times per window of its broker.
 *
 *   row --5 ms, and 50 ms after the messages before--> messages
 *
 * A broker begins a batch every 250 ms and takes 200 messages per second of a stream. Each message costs it a read of its accounts' states, so
 * a message of few rows costs a row more than all else does.
 */
interface FlushPace {
  /** Idempotent until it was done. */
  soon(): void;
  stop(): void;
}

const TOGETHER_MS = 5;
const APART_MS = 50;

export function createFlushPace(flush: () => void, nowMs: () => number): FlushPace {
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
