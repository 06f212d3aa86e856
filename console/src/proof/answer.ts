import { type Client, createClient, verifyProof, verifyRowProof } from '@slipstream/client';
import { knownEpochs } from './known-epochs.ts';
import type { VerifyAnswer, VerifyRequest } from './verify-message.ts';

export async function answerTo(
  { id, url, proof, genesis, of, transactionId }: VerifyRequest,
  client: Pick<Client, 'handovers'> = createClient({ url }),
): Promise<VerifyAnswer> {
  const epochs = await knownEpochs(genesis, client);
  const startMs = performance.now();
  const verify = of === 'row' ? verifyRowProof : verifyProof;
  const result = verify(proof, epochs.ok ? epochs.value : genesis, transactionId);
  const tookMs = performance.now() - startMs;
  const steps = result.ok ? result.value.steps : result.error.steps;
  const genesisHash = result.ok ? result.value.genesisHash : null;
  return { id, verification: { accepted: result.ok, steps, genesisHash, tookMs } };
}
