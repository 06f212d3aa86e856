import { createBlsSigner, generateBlsSecretKey, signCandidacy } from '@slipstream/crypto/native';
import { createRandom } from '@slipstream/platform';
import type { Candidacy } from '@slipstream/types';

const random = createRandom();

export const blsSigner = () => createBlsSigner(generateBlsSecretKey(random.bytes(32)));

export interface Wishes {
  readonly chain?: string;
  readonly address?: string;
  readonly weight?: number;
  readonly peerSeed?: Uint8Array;
  readonly bls?: ReturnType<typeof blsSigner>;
}

export function validatorCandidacy(name: string, wishes: Wishes = {}): Candidacy {
  const { chain = 'consortium', address = `${name}.example.org:9000`, weight = 1 } = wishes;
  const { peerSeed = random.bytes(32), bls = blsSigner() } = wishes;
  return signCandidacy({ chain, name, validator: { address, weight } }, { peerSeed, bls });
}

export function fullNodeCandidacy(name: string, peerSeed: Uint8Array = random.bytes(32)): Candidacy {
  return signCandidacy({ chain: 'consortium', name, validator: undefined }, { peerSeed, bls: undefined });
}
