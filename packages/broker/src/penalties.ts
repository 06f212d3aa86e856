/** What accounts did wrong in the last ten minutes (Q7, Q8). */
import type { Clock } from '@slipstream/ports';
import { FAULTS_MAX, PENALTIES_MAX, PENALTY_MS } from './limits.ts';

export interface Penalties {
  /** A share was missing. */
  shareFault(index: number): void;
  /** As a missing one, and it is remembered for as long. */
  falseShare(index: number): void;
  /** A straggler signature was false. */
  falseStraggler(index: number): void;
  /** It signs its rows alone. */
  isAlone(index: number): boolean;
  /** One of its shares was false. */
  wasFalse(index: number): boolean;
  isSuspended(index: number): boolean;
}

interface Faults {
  /** Monotonic, of the newest ones. */
  readonly sharesMs: readonly number[];
  readonly falseMs: number | undefined;
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

  const isRecent = (atMs: number | undefined) => atMs !== undefined && clock.monotonicMs() - atMs < PENALTY_MS;

  function shareFault(index: number): void {
    const { sharesMs = [], falseMs, suspendedMs } = faults.get(index) ?? {};
    set(index, { sharesMs: [...sharesMs, clock.monotonicMs()].slice(-FAULTS_MAX), falseMs, suspendedMs });
  }

  return {
    shareFault,
    falseShare(index) {
      shareFault(index);
      set(index, { ...(faults.get(index) as Faults), falseMs: clock.monotonicMs() });
    },
    falseStraggler(index) {
      const { sharesMs = [], falseMs } = faults.get(index) ?? {};
      set(index, { sharesMs, falseMs, suspendedMs: clock.monotonicMs() });
    },
    isAlone: (index) => (faults.get(index)?.sharesMs ?? []).filter(isRecent).length >= FAULTS_MAX,
    wasFalse: (index) => isRecent(faults.get(index)?.falseMs),
    isSuspended: (index) => isRecent(faults.get(index)?.suspendedMs),
  };
}
