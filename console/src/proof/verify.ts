/** Verifies in the page's worker what a view shows. */
import { chosenUrl } from '../node/chosen.ts';
import type { Question, Verification, VerifyRequest } from './verify-message.ts';
import { onAnswer, onWorkerLost, sendToWorker } from './worker.ts';

export type { Verification } from './verify-message.ts';

const waiting = new Map<number, (verification: Verification) => void>();
let lastId = 0;

onAnswer((message) => {
  if (message.type !== 'verified') return;
  const { id, verification } = message.answer;
  waiting.get(id)?.(verification);
  waiting.delete(id);
});

onWorkerLost(() => {
  for (const resolve of waiting.values()) resolve({ ...LOST, atMs: Date.now() });
  waiting.clear();
});

const LOST = {
  outcome: 'not-checked',
  steps: [],
  reason: 'the verifier could not be loaded: if the node was updated, load the page again',
  certified: null,
  genesisHash: null,
  entry: null,
  flipped: null,
  tookMs: 0,
} as const;

/** `flip`: with one changed bit. */
export function verifyInPage(question: Question, { flip = false } = {}): Promise<Verification> {
  lastId += 1;
  const request: VerifyRequest = { id: lastId, url: chosenUrl(), question, flip };
  return new Promise((resolve) => {
    waiting.set(request.id, resolve);
    sendToWorker({ type: 'verify', request });
  });
}
