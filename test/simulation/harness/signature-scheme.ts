/** A fast stand-in for most runs, real BLS for some. */
import { createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '@slipstream/crypto/native';
import { sha256, utf8 } from '@slipstream/primitives';
import { GENESIS_EPOCH } from '@slipstream/types';
import { sumCompressed, uncompressedKey } from '../../../packages/crypto/test/bls-points.ts';
import type { SignatureScheme } from './scheme.ts';
import { createStandInScheme } from './stand-in-scheme.ts';

export function createScheme(seed: string, members: number, real: boolean): SignatureScheme {
  return real ? createBlsScheme(seed, members) : createStandInScheme(seed, members);
}

/** BLS12-381, without virtual time. */
function createBlsScheme(seed: string, members: number): SignatureScheme {
  const monotonicMs = () => 0;
  const secretOf = (key: number) => generateBlsSecretKey(sha256(utf8(`bls ${seed} ${key}`)));
  const signer: SignatureScheme['signer'] = (key) =>
    createInlineVerifier({ committees: [], secretKey: secretOf(key), monotonicMs }).signer;
  const signers = Array.from({ length: members }, (_, member) => signer(member));
  const publicKeys = signers.map(({ publicKey }) => publicKey);
  const service = createInlineVerifier({ committees: [{ epoch: GENESIS_EPOCH, publicKeys }], monotonicMs });
  return {
    name: 'bls',
    publicKeys,
    signer: (key) => signers[key] ?? signer(key),
    signAction: (key, message) => createBlsSigner(secretOf(key)).signCompressed(message),
    verifier: service.verifier,
    distilled: service.distilled,
    accountSigner(account) {
      const { publicKey, signCompressed } = createBlsSigner(
        generateBlsSecretKey(sha256(utf8(`account ${seed} ${account}`))),
      );
      return { blsKey: uncompressedKey(publicKey), share: signCompressed };
    },
    aggregate: sumCompressed,
    addCommittee: service.addCommittee,
    dropCommittee: service.dropCommittee,
  };
}
