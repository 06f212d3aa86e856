/** Verifies proofs beside the page: a pairing takes tens of milliseconds, in which nothing else would be drawn. */
import { verifyProof } from '@slipstream/client';
import type { VerifyAnswer, VerifyRequest } from './verify-message.ts';

addEventListener('message', ({ data }: MessageEvent<VerifyRequest>) => {
  const startMs = performance.now();
  const result = verifyProof(data.proof, data.genesis, data.transactionId);
  const tookMs = performance.now() - startMs;
  const steps = result.ok ? result.value.steps : result.error.steps;
  const answer: VerifyAnswer = { id: data.id, verification: { accepted: result.ok, steps, tookMs } };
  postMessage(answer);
});
