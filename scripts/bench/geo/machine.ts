/**
 * A member's machine in virtual time: one main and one verifier thread.
 *
 *   run(cost, action) --> urgent first, then in order --> busy for `cost` --> action
 *
 * A job may need time to get to its thread. A busy thread hides it; it never counts as busy.
 */
import type { Simulation } from '@slipstream/simulator';

export interface Thread {
  /** `action` runs after `costMs`, and on an idle thread after `hopMs` more. Urgent work goes first. */
  run(costMs: number, action: () => void, options?: { readonly urgent?: boolean; readonly hopMs?: number }): void;
  /** Virtual ms. */
  readonly busyMs: number;
}

export function createThread(simulation: Pick<Simulation, 'schedule'>): Thread {
  const queues: readonly [Job[], Job[]] = [[], []];
  let busy = false;
  let busyMs = 0;

  function next(): void {
    const job = queues[0].shift() ?? queues[1].shift();
    busy = job !== undefined;
    if (!job) return;
    busyMs += job.costMs;
    simulation.schedule(job.hopMs + job.costMs, () => {
      job.action();
      next();
    });
  }

  return {
    run(costMs, action, { urgent = false, hopMs = 0 } = {}) {
      if (costMs + hopMs === 0 && !busy) return action();
      queues[urgent ? 0 : 1].push({ costMs, hopMs: busy ? 0 : hopMs, action });
      if (!busy) next();
    },
    get busyMs() {
      return busyMs;
    },
  };
}

interface Job {
  readonly costMs: number;
  readonly hopMs: number;
  readonly action: () => void;
}
