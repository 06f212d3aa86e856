/** Starts the worker that verifies aggregates. A build that verifies them in a thread of its own, as the console's, puts another module in this place. */
import type { CertificateAggregate } from '@slipstream/crypto/browser';
import type { PageWorkerClass } from '../page-worker.ts';
import { nodeThreads } from './node-threads.ts';

export interface AggregateRequest {
  readonly id: number;
  readonly aggregate: CertificateAggregate;
}

export interface AggregateAnswer {
  readonly id: number;
  readonly holds: boolean;
}

/** Of a worker. `lost` may be called several times. */
export interface WorkerPort {
  post(request: AggregateRequest): void;
  end(): void;
}

export type StartWorker = (onAnswer: (answer: AggregateAnswer) => void, lost: () => void) => WorkerPort | undefined;

declare const Worker: PageWorkerClass<AggregateRequest, AggregateAnswer> | undefined;

export const startWorker: StartWorker = (onAnswer, lost) => {
  if (typeof Worker !== 'undefined') {
    const worker = new Worker(new URL('./aggregate-worker.ts', import.meta.url), {
      type: 'module',
      name: 'certificates',
    });
    worker.addEventListener('message', ({ data }) => onAnswer(data));
    worker.addEventListener('error', lost);
    return { post: (request) => worker.postMessage(request), end: () => worker.terminate() };
  }
  const threads = nodeThreads();
  if (threads === undefined) return undefined;
  const thread = new threads.Worker(new URL(WORKER_FILE, import.meta.url));
  thread.on('message', onAnswer as (data: never) => void);
  thread.on('error', lost);
  thread.on('exit', lost);
  thread.unref();
  return { post: (request) => thread.postMessage(request), end: () => void thread.terminate() };
};

/** Not written into the URL: a page's bundler would ship the file twice. */
const WORKER_FILE = './aggregate-worker.ts';
