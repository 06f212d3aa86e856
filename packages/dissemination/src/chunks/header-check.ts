/** A producer's signature on a chunk's header: only for blame or evidence, since transport and block prove the rest (D10). */
import type { Verifier } from '@slipstream/ports';
import { type ChunkId, chunkMessage, type GenesisHash, type SignedChunkHeader } from '@slipstream/types';

export type HeaderCheck = (chunk: SignedChunkHeader, id: ChunkId) => Promise<boolean>;

export function createHeaderCheck(verifier: Pick<Verifier, 'checkVote'>, genesisHash: GenesisHash): HeaderCheck {
  return ({ header: { epoch, producer }, signature }, id) => {
    const message = chunkMessage(genesisHash, epoch, id);
    return verifier.checkVote({ epoch, message, signer: producer, signature }, 'chunk');
  };
}
