/**
 * Simulation: virtual time, an event heap, seeded random numbers, an event hash, and checkers.
 *
 *   run: take the earliest event --> its time becomes now --> its action --> promises settle until all wait --> next
 *
 * INVARIANT: two runs of one seed and one scenario do the same in the same order. Nothing may wait for the real world (files, sockets,
 * workers, timers), or iterate over what real time or randomness has ordered.
 */
import type { Clock } from '@slipstream/ports';
import { CheckFailure, SimulationFailure } from './errors.ts';
import type { SimEvent } from './event.ts';
import { createEventHash } from './event-hash.ts';
import { createEventHeap, type ScheduledEvent } from './event-heap.ts';
import type { Lifetime } from './lifetime.ts';
import { type Macrotasks, openTurns } from './macrotasks.ts';
import { createRandom, type SeededRandom } from './random.ts';

/** 2024-01-01, for realistic wall clocks. */
export const EPOCH_MS = 1_704_067_200_000;

/** Ends an endless run. */
const STEPS_MAX = 50_000_000;

/** After each event; throws to end the run (see `check` of its context). */
export type Checker = (event: SimEvent, context: CheckContext) => void;

export interface CheckContext {
  readonly nowMs: number;
  /** Throws CheckFailure unless the condition holds. */
  check(condition: unknown, rule: string, data?: Readonly<Record<string, unknown>>): void;
}

export interface RunOptions {
  readonly untilMs?: number;
  readonly until?: () => boolean;
  /** Events of this call. */
  readonly stepsMax?: number;
}

interface RunReport {
  /** `idle`: no event is scheduled. */
  readonly reason: 'condition' | 'time' | 'idle' | 'steps';
  readonly nowMs: number;
  readonly steps: number;
}

interface ClockOptions {
  readonly node: string;
  /** Its timers never fire after the end. */
  readonly lifetime?: Lifetime;
  readonly skewMs?: () => number;
}

export interface Simulation {
  readonly seed: string;
  readonly nowMs: number;
  /** By seed and purpose. */
  random(purpose: string): SeededRandom;
  /** Once, after virtual time; returns a cancellation. */
  schedule(delayMs: number, action: () => void): () => void;
  clock(options: ClockOptions): Clock;
  /** Into the hash and to the checkers. A failed check ends the run after the current event. */
  emit(event: SimEvent): void;
  addChecker(name: string, checker: Checker): void;
  /** Throws SimulationFailure when a check failed or an event threw. May be called again to continue. */
  run(options?: RunOptions): Promise<RunReport>;
  eventHash(): string;
}

export function createSimulation(options: { readonly seed: string | number }): Simulation {
  const seed = String(options.seed);
  const heap = createEventHeap();
  const hash = createEventHash();
  const random = createRandom(seed);
  const checkers: { readonly checker: Checker; readonly context: CheckContext }[] = [];
  let nowMs = 0;
  let order = 0;
  let failure: SimulationFailure | undefined;

  function schedule(delayMs: number, action: () => void): () => void {
    const event: ScheduledEvent = { atMs: nowMs + Math.max(0, delayMs), order: order++, action };
    heap.push(event);
    return () => {
      event.action = undefined;
    };
  }

  function clock({ node, lifetime, skewMs = () => 0 }: ClockOptions): Clock {
    return {
      wallMs: () => Math.floor(EPOCH_MS + nowMs + skewMs()),
      monotonicMs: () => nowMs,
      after(delayMs, action) {
        if (lifetime?.alive === false) return () => {};
        let cancelled = false;
        function fire(): void {
          if (cancelled) return;
          emit({ type: 'timer', node });
          action();
        }
        const cancel = schedule(delayMs, () => (lifetime ? lifetime.whenRunning(fire, { timer: true }) : fire()));
        return () => {
          cancelled = true;
          cancel();
        };
      },
    };
  }

  function emit(event: SimEvent): void {
    hash.add(nowMs, event);
    for (const { checker, context } of checkers) {
      try {
        checker(event, context);
      } catch (cause) {
        failure ??= asFailure(cause);
      }
    }
  }

  function addChecker(name: string, checker: Checker): void {
    const context: CheckContext = {
      get nowMs() {
        return nowMs;
      },
      check(condition, rule, data = {}) {
        if (condition) return;
        throw new CheckFailure('check-failed', `${name}: ${rule} (${whenAndWhere()})`, { ...data, seed, nowMs, name });
      },
    };
    checkers.push({ checker, context });
  }

  function asFailure(cause: unknown): SimulationFailure {
    if (cause instanceof SimulationFailure) return cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new SimulationFailure('event-threw', `${reason} (${whenAndWhere()})`, { seed, nowMs }, cause);
  }

  function whenAndWhere(): string {
    return `seed ${seed}, at ${nowMs.toFixed(3)} ms, event hash ${hash.value()}`;
  }

  async function run(runOptions: RunOptions = {}): Promise<RunReport> {
    const turns = openTurns();
    try {
      return await runWith(turns, runOptions);
    } finally {
      turns.close();
    }
  }

  async function runWith(turns: Macrotasks, { untilMs, until, stepsMax = STEPS_MAX }: RunOptions): Promise<RunReport> {
    await turns.next(); // for what was started between runs
    for (let steps = 0; ; steps++) {
      if (failure !== undefined) throw failure;
      if (until?.() === true) return { reason: 'condition', nowMs, steps };
      if (steps >= stepsMax) return { reason: 'steps', nowMs, steps };
      const next = heap.peek();
      if (next === undefined || (untilMs !== undefined && next.atMs > untilMs)) {
        nowMs = Math.max(nowMs, untilMs ?? nowMs);
        return { reason: next === undefined ? 'idle' : 'time', nowMs, steps };
      }
      heap.pop();
      nowMs = next.atMs;
      try {
        next.action?.();
      } catch (cause) {
        failure ??= asFailure(cause);
      }
      await turns.next();
    }
  }

  return {
    seed,
    get nowMs() {
      return nowMs;
    },
    random: (purpose) => random.fork(purpose),
    schedule,
    clock,
    emit,
    addChecker,
    run,
    eventHash: () => hash.value(),
  };
}
