/** What accounts did wrong in the last ten minutes (Q7, Q8). */
import type { Clock } from '@slipstream/ports';
import { FAULTS_MAX, PENALTIES_MAX, PENALTY_MS } from './limits.ts';

export interface Penalties {
  /** A share was missing or false. */
  shareFault(index: number): void;
  /** A straggler signature was false. */
  falseStraggler(index: number): void;
  /** It signs its rows alone. */
  isAlone(index: number): boolean;
  isSuspended(index: number): boolean;
}

interface Faults {
  /** Monotonic, of the newest ones. */
  readonly sharesMs: readonly number[];
  readonly suspendedMs: number | undefined;
}

export function createPenalties(clock: Pick<Clock, 'monotonicMs'>): Penalties {
  /** Least recent fault first. */
  const faults = new Map<number, Faults>();

  function set(index: number, next: Faults): void {
    faults.delete(index);
    faults.set(index, next);
    if (faults.size > PENALTIES_MAX) faults.delete(faults.keys().next().value as number);
  }

  const isRecent = (atMs: number) => clock.monotonicMs() - atMs < PENALTY_MS;

  return {
    shareFault(index) {
      const { sharesMs = [], suspendedMs } = faults.get(index) ?? {};
      set(index, { sharesMs: [...sharesMs, clock.monotonicMs()].slice(-FAULTS_MAX), suspendedMs });
    },
    falseStraggler(index) {
      set(index, { sharesMs: faults.get(index)?.sharesMs ?? [], suspendedMs: clock.monotonicMs() });
    },
    isAlone: (index) => (faults.get(index)?.sharesMs ?? []).filter(isRecent).length >= FAULTS_MAX,
    isSuspended(index) {
      const atMs = faults.get(index)?.suspendedMs;
      return atMs !== undefined && isRecent(atMs);
    },
  };
}
