/** Candidacies: signed with a node's keys before its chain has a genesis. Synchronous. */
import type { PeerKey } from '@slipstream/primitives';
import { assert, fromHex, toHex } from '@slipstream/primitives';
import {
  type AccountKey,
  type Candidacy,
  type CandidacyTerms,
  candidacyMessage,
  ed25519Account,
} from '@slipstream/types';
import { type BlsSigner, checkProofOfPossession, verifyCompressed } from './bls-signer.ts';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from './ed25519.ts';

interface CandidateKeys {
  /** 32 secret bytes. */
  readonly peerSeed: Uint8Array;
  /** Undefined on a full node. */
  readonly bls: BlsSigner | undefined;
}

interface CandidacyWishes {
  readonly chain: string;
  readonly name: string;
  /** Undefined for a full node. */
  readonly validator: ValidatorWishes | undefined;
}

interface ValidatorWishes {
  readonly address: string;
  readonly weight: number;
  /** Default of both: the network key as an account. */
  readonly operator?: AccountKey | undefined;
  readonly feeAccount?: AccountKey | undefined;
}

/** Throws CryptoError `invalid-secret-key`. */
export function signCandidacy(
  { chain, name, validator }: CandidacyWishes,
  { peerSeed, bls }: CandidateKeys,
): Candidacy {
  assert((validator === undefined) === (bls === undefined), 'a validator has a BLS key, a full node none');
  const peerKey = ed25519PublicKey(peerSeed);
  const own = ed25519Account(peerKey);
  const terms: CandidacyTerms = {
    chain,
    name,
    peerKey: toHex(peerKey) as PeerKey,
    validator: validator &&
      bls && {
        ...validator,
        operator: validator.operator ?? own,
        feeAccount: validator.feeAccount ?? own,
        blsPublicKey: bls.publicKey,
        proofOfPossession: bls.proveOwnership(),
      },
  };
  const message = candidacyMessage(terms);
  return {
    ...terms,
    peerSignature: ed25519Sign(message, peerSeed),
    blsSignature: terms.validator && bls?.signCompressed(message),
  };
}

export type CandidacySignature = 'proofOfPossession' | 'blsSignature' | 'peerSignature';

/**
 * None: the author holds both secrets and meant this chain. About 4 ms.
 *
 * The proof of possession is checked too: genesis copies only the proof, and each node verifies it.
 */
export function badSignatures(candidacy: Candidacy): readonly CandidacySignature[] {
  const { validator, blsSignature, peerSignature, peerKey } = candidacy;
  const message = candidacyMessage(candidacy);
  const holds: Readonly<Record<CandidacySignature, boolean>> = {
    proofOfPossession:
      validator === undefined || checkProofOfPossession(validator.blsPublicKey, validator.proofOfPossession),
    blsSignature:
      validator === undefined ||
      (blsSignature !== undefined && verifyCompressed(validator.blsPublicKey, message, blsSignature)),
    peerSignature: ed25519Verify(fromHex(peerKey), message, peerSignature),
  };
  return (Object.keys(holds) as CandidacySignature[]).filter((name) => !holds[name]);
}
