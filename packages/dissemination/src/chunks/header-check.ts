/**
 * Header check: whether a producer signed a chunk's header.
 *
 * The signature is not verified when a chunk arrives: the transport proves the producer, and an id in a block proves the bytes (D10).
 * It is verified where it is blame or evidence.
 */
import type { Verifier } from '@slipstream/ports';
import { type ChunkId, chunkMessage, type GenesisHash, type SignedChunkHeader } from '@slipstream/types';

export type HeaderCheck = (chunk: SignedChunkHeader, id: ChunkId) => Promise<boolean>;

export function createHeaderCheck(verifier: Pick<Verifier, 'checkVote'>, genesisHash: GenesisHash): HeaderCheck {
  return ({ header, signature }, id) =>
    verifier.checkVote(chunkMessage(genesisHash, id), header.producer, signature, 'chunk');
}
