/** Verifies proofs in the page. The worker with the cryptography is fetched for the first one. */
import type { Verification, VerifyAnswer, VerifyRequest } from './verify-message.ts';

export type { Verification } from './verify-message.ts';

interface Waiting {
  readonly resolve: (verification: Verification) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let lastId = 0;

/** Rejects only when the worker cannot run. */
export function verifyInPage(proof: unknown, genesis: unknown, transactionId: string): Promise<Verification> {
  worker ??= startWorker();
  lastId += 1;
  const request: VerifyRequest = { id: lastId, proof, genesis, transactionId };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    worker?.postMessage(request);
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module', name: 'verify' });
  started.addEventListener('message', ({ data }: MessageEvent<VerifyAnswer>) => {
    waiting.get(data.id)?.resolve(data.verification);
    waiting.delete(data.id);
  });
  started.addEventListener('error', () => {
    worker = undefined;
    for (const { reject } of waiting.values()) {
      reject(new Error('The verifier could not be loaded: if the node was updated, load the page again.'));
    }
    waiting.clear();
  });
  return started;
}
