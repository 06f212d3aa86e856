/** Delays received values by `delayMs` plus up to `jitterMs`, in order: a simulated long link (development only). */
import type { Clock, Random } from '@slipstream/ports';
import type { LinkDelay } from './options.ts';

export interface DelayLine<T> {
  push(value: T): void;
  clear(): void;
}

export function createDelayLine<T>(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  { delayMs, jitterMs }: LinkDelay,
  deliver: (value: T) => void,
): DelayLine<T> {
  const held: { readonly value: T; readonly dueMs: number }[] = [];
  let lastDueMs = 0;
  let cancel: (() => void) | undefined;

  function arm(): void {
    const head = held[0];
    if (head === undefined || cancel !== undefined) return;
    cancel = clock.after(Math.max(0, head.dueMs - clock.monotonicMs()), release);
  }

  function release(): void {
    cancel = undefined;
    const nowMs = clock.monotonicMs();
    for (let head = held[0]; head !== undefined && head.dueMs <= nowMs; head = held[0]) {
      held.shift();
      deliver(head.value);
    }
    arm();
  }

  return {
    push(value) {
      lastDueMs = Math.max(lastDueMs, clock.monotonicMs() + delayMs + random.unit() * jitterMs);
      held.push({ value, dueMs: lastDueMs });
      arm();
    },
    clear() {
      held.length = 0;
      cancel?.();
      cancel = undefined;
    },
  };
}
