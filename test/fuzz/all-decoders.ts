import type { Decoder } from './decoder.ts';
import { DECODERS_OF_CLIENTS } from './from-clients.ts';
import { DECODERS_OF_DISK } from './from-disk.ts';
import { decodersOfPeers } from './from-peers.ts';
import { stateProofDecoders } from './state-proofs.ts';

export async function allDecoders(): Promise<readonly Decoder[]> {
  return [...(await decodersOfPeers()), ...DECODERS_OF_CLIENTS, ...DECODERS_OF_DISK, ...(await stateProofDecoders())];
}
