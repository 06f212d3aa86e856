/** A fast stand-in for most runs, real BLS for some. */
import { createInlineVerifier, generateBlsSecretKey } from '@slipstream/crypto/native';
import type { Signer } from '@slipstream/ports';
import { sha256, utf8 } from '@slipstream/primitives';
import type { SignatureScheme } from './scheme.ts';
import { createStandInScheme } from './stand-in-scheme.ts';

export function createScheme(seed: string, members: number, real: boolean): SignatureScheme {
  return real ? createBlsScheme(seed, members) : createStandInScheme(seed, members);
}

/** BLS12-381, without virtual time. */
function createBlsScheme(seed: string, members: number): SignatureScheme {
  const secretKeys = Array.from({ length: members }, (_, member) =>
    generateBlsSecretKey(sha256(utf8(`bls ${seed} ${member}`))),
  );
  const monotonicMs = () => 0;
  const ownKey = (secretKey: Uint8Array) => createInlineVerifier({ committeeKeys: [], secretKey, monotonicMs }).signer;
  const signers = secretKeys.map(ownKey);
  const publicKeys = signers.map(({ publicKey }) => publicKey);
  const { verifier } = createInlineVerifier({ committeeKeys: publicKeys, monotonicMs });
  return { name: 'bls', publicKeys, signer: (member) => signers[member] as Signer, verifier };
}
