/**
 * Signs in separate threads, so that signing does not compete with the sending loop.
 *
 *   sign(job) --> next idle thread --> batch, in the order of the calls' promises
 */
import { Worker } from 'node:worker_threads';
import { LoadError } from '../errors.ts';
import type { SigningJob, SigningTask } from './sign-transfers.ts';
import type { SignedBatch } from './signed-batch.ts';

export interface SignerPool {
  sign(job: SigningJob): Promise<SignedBatch>;
  /** Idempotent; rejects open jobs. */
  close(): Promise<void>;
}

interface Waiting {
  readonly job: SigningJob;
  readonly resolve: (batch: SignedBatch) => void;
  readonly reject: (error: Error) => void;
}

/** Queued jobs: a caller that needs more is faulty. */
const JOBS_MAX = 100_000;

export function createSignerPool(task: SigningTask, threads: number): SignerPool {
  const waiting: Waiting[] = [];
  const underWay = new Map<number, Waiting>();
  let numbers = 0;
  let closed = false;
  const workers = Array.from({ length: threads }, startWorker);
  const idle = [...workers];

  function startWorker(): Worker {
    const worker = new Worker(new URL('./sign-worker.ts', import.meta.url), { workerData: task });
    worker.on('message', ({ number, batch }: { readonly number: number; readonly batch: SignedBatch }) => {
      underWay.get(number)?.resolve(batch);
      underWay.delete(number);
      idle.push(worker);
      hand();
    });
    worker.on('error', (cause) =>
      failAll(new LoadError('signing-failed', `a signing thread ended: ${cause}`, {}, cause)),
    );
    return worker;
  }

  function hand(): void {
    while (idle.length > 0 && waiting.length > 0) {
      const worker = idle.pop() as Worker;
      const next = waiting.shift() as Waiting;
      numbers += 1;
      underWay.set(numbers, next);
      worker.postMessage({ number: numbers, job: next.job });
    }
  }

  function failAll(error: Error): void {
    for (const { reject } of [...underWay.values(), ...waiting]) reject(error);
    underWay.clear();
    waiting.length = 0;
  }

  return {
    sign(job) {
      if (closed) return Promise.reject(new LoadError('signing-failed', 'the signing threads are closed', {}));
      if (waiting.length >= JOBS_MAX)
        return Promise.reject(new LoadError('signing-failed', `${JOBS_MAX} jobs wait for signing already`, {}));
      return new Promise((resolve, reject) => {
        waiting.push({ job, resolve, reject });
        hand();
      });
    },
    async close() {
      closed = true;
      failAll(new LoadError('signing-failed', 'the signing threads were closed', {}));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
