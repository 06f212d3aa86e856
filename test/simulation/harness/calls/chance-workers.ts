/**
 * Stand-in for the threads that run calls beside the executor (apps/node/src/parallel): realms of their own, all in the simulator's thread, on
 * calls and results that went through the bytes of shared memory. Chance takes the place of threads:
 *
 *   handed --> a worker's queue --between the places that the executor comes to--> done, in any order
 *                 \--> the worker dies, and what it had is lost; the next block finds a new one, or none
 *
 *   at its place: done --> taken | begun --> waited for, or late | not begun --> the executor runs it
 */
import {
  type CallWorkers,
  createHandedCalls,
  type HandedBlock,
  type HandedCall,
  type HandedResult,
} from '@slipstream/execution';
import type { SeededRandom } from '@slipstream/simulator';
import { copied, throughBytes } from '../../../../packages/execution/test/played-workers.ts';
import type { SimulatedCalls } from './simulated-calls.ts';

/** Over all nodes and processes of a run. */
export interface PlayedCalls {
  handed: number;
  taken: number;
  late: number;
  /** With their worker. */
  lost: number;
  /** A key was written before their place. */
  stale: number;
}

export const noPlayedCalls = (): PlayedCalls => ({ handed: 0, taken: 0, late: 0, lost: 0, stale: 0 });

const CHANCE = { dies: 0.02, returns: 0.7, noneIsFree: 0.05, isBegun: 0.5, isLate: 0.3, works: 0.6 } as const;
/** Of a call, as the executor measures it: each is worth handing over. */
const MEASURED_US = { min: 100, more: 400 } as const;

type Run = ReturnType<typeof createHandedCalls>;

interface ChanceWorker {
  /** Undefined: it died. */
  run: Run | undefined;
}

export function createChanceWorkers(
  { open }: Pick<SimulatedCalls, 'open'>,
  { count, played }: { readonly count: number; readonly played: PlayedCalls },
  random: Pick<SeededRandom, 'fork'>,
): CallWorkers {
  const chance = random.fork('call workers');
  const start = (): Run => createHandedCalls(open().installed);
  const workers: readonly ChanceWorker[] = Array.from({ length: count }, () => ({ run: start() }));
  let timeUs = 0;

  function free(): readonly ChanceWorker[] {
    for (const worker of workers) if (worker.run === undefined && chance.chance(CHANCE.returns)) worker.run = start();
    return workers.filter(({ run }) => run !== undefined);
  }

  return {
    get count() {
      return chance.chance(CHANCE.noneIsFree) ? 0 : free().length;
    },
    nowUs() {
      timeUs += MEASURED_US.min + chance.below(MEASURED_US.more);
      return timeUs;
    },
    hand(block, calls) {
      played.handed += calls.length;
      return handedTo({ workers: free(), chance, played }, block, calls);
    },
  };
}

interface Playing {
  readonly workers: readonly ChanceWorker[];
  readonly chance: SeededRandom;
  readonly played: PlayedCalls;
}

function handedTo(
  { workers, chance, played }: Playing,
  block: HandedBlock,
  calls: readonly HandedCall[],
): ReturnType<CallWorkers['hand']> {
  const waiting = new Map(calls.map((call, position) => [position, copied(call)]));
  const done = new Map<number, HandedResult | undefined>();

  /** By any worker that lives; or it dies of it. */
  function work(position: number): void {
    const call = waiting.get(position) as HandedCall;
    waiting.delete(position);
    const worker = chance.pick(workers);
    if (worker.run !== undefined && chance.chance(CHANCE.dies)) worker.run = undefined;
    const { run } = worker;
    if (run === undefined) played.lost += 1;
    else done.set(position, throughBytes(run(block, call)));
  }

  function workOnSome(): void {
    while (waiting.size > 0 && chance.chance(CHANCE.works)) work(chance.pick([...waiting.keys()]));
  }

  return {
    take(position) {
      workOnSome();
      if (waiting.has(position)) {
        if (!chance.chance(CHANCE.isBegun)) {
          waiting.delete(position);
          return undefined;
        }
        work(position);
        if (chance.chance(CHANCE.isLate)) {
          played.late += 1;
          done.delete(position);
        }
      }
      const result = done.get(position);
      if (result !== undefined) played.taken += 1;
      return result;
    },
    drop(position) {
      played.stale += 1;
      waiting.delete(position);
      done.delete(position);
    },
    end() {
      workOnSome();
      waiting.clear();
    },
  };
}
