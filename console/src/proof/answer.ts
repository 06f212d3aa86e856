import { verifyProof } from '@slipstream/client';
import type { VerifyAnswer, VerifyRequest } from './verify-message.ts';

export function answerTo({ id, proof, genesis, transactionId }: VerifyRequest): VerifyAnswer {
  const startMs = performance.now();
  const result = verifyProof(proof, genesis, transactionId);
  const tookMs = performance.now() - startMs;
  const steps = result.ok ? result.value.steps : result.error.steps;
  const genesisHash = result.ok ? result.value.genesisHash : null;
  return { id, verification: { accepted: result.ok, steps, genesisHash, tookMs } };
}
