/** Verifies proofs in the page. */
import { chosenUrl } from '../node/chosen.ts';
import type { Verification, VerifyRequest } from './verify-message.ts';
import { onAnswer, onWorkerLost, sendToWorker } from './worker.ts';

export type { Verification } from './verify-message.ts';

interface Waiting {
  readonly resolve: (verification: Verification) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let lastId = 0;

onAnswer((message) => {
  if (message.type !== 'proof') return;
  const { id, verification } = message.answer;
  waiting.get(id)?.resolve(verification);
  waiting.delete(id);
});

onWorkerLost(() => {
  for (const { reject } of waiting.values()) {
    reject(new Error('The verifier could not be loaded: if the node was updated, load the page again.'));
  }
  waiting.clear();
});

/** Rejects only when the worker cannot run. */
export function verifyInPage(
  proof: unknown,
  genesis: unknown,
  { of, transactionId }: Pick<VerifyRequest, 'of' | 'transactionId'>,
): Promise<Verification> {
  lastId += 1;
  const request: VerifyRequest = { id: lastId, url: chosenUrl(), proof, genesis, of, transactionId };
  return new Promise((resolve, reject) => {
    waiting.set(request.id, { resolve, reject });
    sendToWorker({ type: 'proof', request });
  });
}
