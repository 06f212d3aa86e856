/** Two contradicting votes of one validator: a duplicated key, or a liar. */
import { createBlsSigner } from '@slipstream/crypto/native';
import type { Identity } from '@slipstream/node-home/identity';
import { type BlockId, encodeFrame, GENESIS_EPOCH, subjectMessage, type View, type Vote } from '@slipstream/types';
import { framed } from './attacks.ts';

/** Notarize votes for two blocks in one view. Throws for an identity without a validator's key. */
export function contradiction({ validator, genesisHash }: Identity, at: View): Uint8Array {
  if (validator === undefined) throw new Error('only a validator has a key to vote with');
  const { sign } = createBlsSigner(validator.secretKey);
  const votes = [1, 2].map((salt): Vote => {
    const subject = {
      kind: 'notarize',
      epoch: GENESIS_EPOCH,
      view: at,
      blockId: new Uint8Array(32).fill(salt) as BlockId,
    } as const;
    return { subject, signer: validator.index, signature: sign(subjectMessage(genesisHash, subject)) };
  });
  return framed(encodeFrame('consensus', { certificates: [], votes, confirmations: [] }));
}
