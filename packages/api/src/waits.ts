/** Waits for a stage: bounded in number and time, ended when the client disconnects. */
import type { Clock } from '@slipstream/ports';
import type { WaitStage } from '@slipstream/schema';

export interface Waits {
  /** `ask` gets a signal that ends the wait; none without stages, without time or above `waitsMax`. */
  during<T>(
    stages: readonly WaitStage[],
    timeoutMs: number,
    gone: AbortSignal,
    ask: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T>;
}

export function createWaits(clock: Pick<Clock, 'after'>, waitsMax: number): Waits {
  let waiting = 0;
  return {
    async during(stages, timeoutMs, gone, ask) {
      if (stages.length === 0 || timeoutMs === 0 || waiting >= waitsMax) return await ask(undefined);
      const ended = new AbortController();
      const cancel = clock.after(timeoutMs, () => ended.abort());
      const stop = () => ended.abort();
      gone.addEventListener('abort', stop, { once: true });
      waiting += 1;
      try {
        return await ask(gone.aborted ? undefined : ended.signal);
      } finally {
        waiting -= 1;
        cancel();
        ended.abort(); // also when `ask` rejected
        gone.removeEventListener('abort', stop);
      }
    },
  };
}
