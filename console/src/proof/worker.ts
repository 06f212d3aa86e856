/** The worker with the cryptography: fetched for the first request, one for the page. */
import type { WorkerAnswer, WorkerRequest } from './verify-message.ts';

const listeners = new Set<(answer: WorkerAnswer) => void>();
const lostListeners = new Set<() => void>();
let worker: Worker | undefined;

export function onAnswer(listener: (answer: WorkerAnswer) => void): void {
  listeners.add(listener);
}

/** The worker could not be loaded, or ended. The next request starts another. */
export function onWorkerLost(listener: () => void): void {
  lostListeners.add(listener);
}

export function sendToWorker(request: WorkerRequest): void {
  worker ??= startWorker();
  worker.postMessage(request);
}

function startWorker(): Worker {
  const started = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module', name: 'verify' });
  started.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
    for (const listener of listeners) listener(data);
  });
  started.addEventListener('error', () => {
    worker = undefined;
    for (const listener of lostListeners) listener();
  });
  return started;
}
