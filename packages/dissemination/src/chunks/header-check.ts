/** A producer's signature on a chunk's header: only for blame or evidence, since transport and block prove the rest (D10). */
import type { Verifier } from '@slipstream/ports';
import { type ChunkId, chunkMessage, type GenesisHash, type SignedChunkHeader } from '@slipstream/types';

export type HeaderCheck = (chunk: SignedChunkHeader, id: ChunkId) => Promise<boolean>;

export function createHeaderCheck(verifier: Pick<Verifier, 'checkVote'>, genesisHash: GenesisHash): HeaderCheck {
  return ({ header, signature }, id) =>
    verifier.checkVote(chunkMessage(genesisHash, header.epoch, id), header.producer, signature, 'chunk');
}
