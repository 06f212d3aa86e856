/** On several threads; results in the order of completion. */
import { Worker } from 'node:worker_threads';
import { play, type RunName, type RunResult } from './runs.ts';

export interface PoolOptions {
  /** 0: this thread. */
  readonly threads: number;
  readonly onResult: (result: RunResult) => void;
  /** Of performance.now(); no run starts later. */
  readonly endMs?: number | undefined;
}

export async function playAll(
  runs: readonly RunName[],
  { threads, onResult, endMs = Number.POSITIVE_INFINITY }: PoolOptions,
): Promise<void> {
  if (threads === 0 || runs.length < 2) {
    for (const run of runs) if (performance.now() < endMs) onResult(await play(run));
    return;
  }
  const waiting = [...runs];
  const lines = Array.from({ length: Math.min(threads, runs.length) }, () => playOnThread(waiting, onResult, endMs));
  await Promise.all(lines);
}

async function playOnThread(waiting: RunName[], onResult: (result: RunResult) => void, endMs: number): Promise<void> {
  const worker = new Worker(new URL('./run-worker.ts', import.meta.url));
  try {
    for (let run = waiting.shift(); run !== undefined && performance.now() < endMs; run = waiting.shift())
      onResult(await ask(worker, run));
  } finally {
    await worker.terminate();
  }
}

function ask(worker: Worker, run: RunName): Promise<RunResult> {
  const { promise, resolve, reject } = Promise.withResolvers<RunResult>();
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.postMessage(run);
  return promise.finally(() => {
    worker.off('message', resolve);
    worker.off('error', reject);
  });
}
