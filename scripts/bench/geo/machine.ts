/**
 * A member's machine in virtual time: one main and one verifier thread.
 *
 *   run(cost, action) --> urgent first, then in order --> busy for `cost` --> action
 */
import type { Simulation } from '@slipstream/simulator';

export interface Thread {
  /** `action` runs after `costMs`. Urgent work goes first. */
  run(costMs: number, action: () => void, urgent?: boolean): void;
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
    simulation.schedule(job.costMs, () => {
      job.action();
      next();
    });
  }

  return {
    run(costMs, action, urgent = false) {
      if (costMs === 0 && !busy) return action();
      queues[urgent ? 0 : 1].push({ costMs, action });
      if (!busy) next();
    },
    get busyMs() {
      return busyMs;
    },
  };
}

interface Job {
  readonly costMs: number;
  readonly action: () => void;
}
