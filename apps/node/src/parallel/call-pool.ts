/**
 * Threads that run calls of parallel actions ahead of the executor (packages/execution, parallel-calls.ts). Started by the executor's thread.
 *
 *   block --shared memory--> workers, from the back
 *     \--> executor, from the front --> a result, or its own run
 *
 * A worker that dies, or takes too long for one call, is replaced; until then the executor does its work.
 */
import { Worker } from 'node:worker_threads';
import { STACK_MIB } from '@slipstream/app-realm/limits';
import type { CallWorkers, HandedBlock } from '@slipstream/execution';
import { manifestsOf } from '@slipstream/node-home/applications';
import type { Clock, Telemetry } from '@slipstream/ports';
import { createSharedJob } from './shared-job.ts';

export interface CallPool extends CallWorkers {
  /** An artifact of a later epoch too. Threads start with the first that has a parallel action. */
  add(artifact: Uint8Array): void;
  /** Idempotent. */
  stop(): Promise<void>;
}

export interface CallWorkerData {
  readonly artifacts: readonly Uint8Array[];
  /** One word: jobs that are finished; LOADING before. */
  readonly finished: SharedArrayBuffer;
}

interface CallJob {
  readonly memory: SharedArrayBuffer;
  readonly block: HandedBlock;
}

export type CallMessage = CallJob | { readonly artifact: Uint8Array };

export const LOADING = -1;

/** Blocks in which nothing is handed over after one that gained too little: cores are busy, or calls conflict. */
const REST_BLOCKS = 16;
/** Of the calls that were handed over, in a block that gained. */
const TAKEN_SHARE_MIN = 1 / 8;
/** A worker that finishes the last call of a block gets those of the next one already. */
const JOBS_MAX = 2;
/** Longer than any call that ends. */
const STUCK_MS = 10_000;
/** Threads that die again and again would cost more than they give. */
const REPLACED_MAX = 16;

interface CallThread {
  readonly worker: Worker;
  readonly finished: Int32Array;
  /** Since its start. */
  given: number;
  givenMs: number;
}

export function createCallPool(
  { clock, telemetry }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly telemetry: Telemetry },
  count: number,
): CallPool {
  const artifacts: Uint8Array[] = [];
  const threads = new Set<CallThread>();
  let replaced = 0;
  let rest = 0;
  let isStarted = false;
  let isStopped = false;

  function add(artifact: Uint8Array): void {
    artifacts.push(artifact);
    for (const { worker } of threads) worker.postMessage({ artifact } satisfies CallMessage);
    if (isStarted || !hasParallelAction(artifact)) return;
    isStarted = true;
    for (let i = 0; i < count; i++) start();
  }

  function start(): void {
    const finished = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    finished[0] = LOADING;
    const workerData: CallWorkerData = { artifacts, finished: finished.buffer as SharedArrayBuffer };
    const worker = new Worker(new URL('./call-worker.ts', import.meta.url), {
      name: 'calls',
      workerData,
      resourceLimits: { stackSizeMb: STACK_MIB },
    });
    const thread: CallThread = { worker, finished, given: 0, givenMs: clock.monotonicMs() };
    worker.on('error', (error) => lose(thread, error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => lose(thread, `it ended with code ${code}`));
    threads.add(thread);
  }

  function lose(thread: CallThread, reason: string): void {
    if (isStopped || !threads.delete(thread)) return;
    void thread.worker.terminate();
    replaced += 1;
    telemetry.count('node_call_workers_lost', 1);
    telemetry.log('warn', 'a thread that runs calls of applications was lost: the executor runs them', { reason });
    if (replaced <= REPLACED_MAX) start();
  }

  function loseStuck(): void {
    for (const thread of threads) {
      if (waiting(thread) === 0 || clock.monotonicMs() - thread.givenMs < STUCK_MS) continue;
      lose(thread, 'one call takes too long');
    }
  }

  return {
    add,
    get count() {
      loseStuck();
      if (rest > 0) {
        rest -= 1;
        return 0;
      }
      return [...threads].filter(isReady).length;
    },
    nowUs: () => 1_000 * clock.monotonicMs(),
    hand(block, calls) {
      const job = createSharedJob(calls);
      for (const thread of threads) if (isReady(thread)) give(thread, { memory: job.memory, block }, clock);
      telemetry.count('node_calls_handed', calls.length);
      return {
        ...job,
        end() {
          job.end();
          const taken = job.taken();
          telemetry.count('node_calls_taken', taken);
          if (job.isLate() || taken < TAKEN_SHARE_MIN * calls.length) rest = REST_BLOCKS;
        },
      };
    },
    async stop() {
      isStopped = true;
      await Promise.all([...threads].map(({ worker }) => worker.terminate()));
    },
  };
}

const hasParallelAction = (artifact: Uint8Array): boolean =>
  manifestsOf([artifact]).some(({ actions }) => actions.some(({ parallel }) => parallel));

/** Jobs that it has not finished. */
const waiting = ({ given, finished }: CallThread): number => given - Math.max(0, Atomics.load(finished, 0));

const isReady = (thread: CallThread): boolean =>
  Atomics.load(thread.finished, 0) !== LOADING && waiting(thread) < JOBS_MAX;

function give(thread: CallThread, job: CallJob, clock: Pick<Clock, 'monotonicMs'>): void {
  if (waiting(thread) === 0) thread.givenMs = clock.monotonicMs();
  thread.given += 1;
  thread.worker.postMessage(job satisfies CallMessage);
}
