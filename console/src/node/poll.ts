/** Repeats a query: on request, and every so often. Never two at once, and never without a pause between. */
import type { Timers } from '../stream/batcher.ts';

export interface Poll {
  /** Runs the query again soon. */
  refresh(): void;
  stop(): void;
}

interface PollSetting {
  /** Undefined: only on request. */
  readonly everyMs: number | undefined;
  readonly timers: Pick<Timers, 'after'>;
}

/** Events come in groups, and each block may bring one. */
const PAUSE_MS = 500;

/** `ask` must not throw. */
export function startPoll(ask: () => Promise<void>, { everyMs, timers }: PollSetting): Poll {
  let isRunning = false;
  let isWanted = false;
  let stopped = false;
  let cancel = () => {};

  async function run(): Promise<void> {
    isRunning = true;
    isWanted = false;
    await ask();
    isRunning = false;
    if (isWanted) runAfter(PAUSE_MS);
    else if (everyMs !== undefined) runAfter(everyMs);
  }

  function runAfter(ms: number): void {
    cancel();
    if (!stopped) cancel = timers.after(ms, () => void run());
  }

  void run();
  return {
    refresh() {
      if (isWanted) return;
      isWanted = true;
      if (!isRunning) runAfter(PAUSE_MS);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
