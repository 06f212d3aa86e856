/** All checks of a verifier, synchronous. */
import type {
  AccountSignature,
  AggregateRequest,
  CertificateRequest,
  QuorumRequest,
  QuorumResult,
} from '@slipstream/ports';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { decodeSignatureUnchecked, verifyChecked } from './binding.ts';
import { createBlsSigner } from './bls-signer.ts';
import { createCommitteeKeys } from './committee-keys.ts';
import { ed25519Verify } from './ed25519.ts';
import { createKeySums } from './key-sums.ts';
import { checkQuorum } from './quorum-check.ts';

/** Half a millisecond. */
const ACCOUNTS_PER_PAUSE = 8;

export interface VerifierCore {
  /** 192 bytes each. Throws CryptoError `no-secret-key`. */
  sign(messages: readonly Uint8Array[]): readonly Uint8Array[];
  checkQuorum(request: QuorumRequest, pause: () => void): QuorumResult;
  checkVote(message: Uint8Array, signer: number, signature: Uint8Array): boolean;
  checkCertificate(request: CertificateRequest): boolean;
  checkAggregate(request: AggregateRequest): boolean;
  checkAccounts(batch: readonly AccountSignature[], pause: () => void): readonly boolean[];
}

interface VerifierCoreOptions {
  /** 48 bytes each, in the committee's order. */
  readonly committeeKeys: readonly Uint8Array[];
  readonly secretKey: Uint8Array | undefined;
  readonly monotonicMs: () => number;
}

/** Throws CryptoError `invalid-public-key` or `invalid-secret-key`. */
export function createVerifierCore({ committeeKeys, secretKey, monotonicMs }: VerifierCoreOptions): VerifierCore {
  const keys = createCommitteeKeys(committeeKeys);
  const sums = createKeySums();
  const signer = secretKey === undefined ? undefined : createBlsSigner(secretKey);

  function sign(messages: readonly Uint8Array[]): readonly Uint8Array[] {
    if (signer === undefined) throw new CryptoError('no-secret-key', 'this verifier was made without a secret key');
    return messages.map((message) => signer.sign(message));
  }

  function checkVote(message: Uint8Array, index: number, bytes: Uint8Array): boolean {
    const signature = decodeSignatureUnchecked(bytes, BLS_SIGNATURE_BYTES);
    return signature !== undefined && verifyChecked(message, keys.key(index), signature);
  }

  function checkCertificate({ message, signers, aggregate }: CertificateRequest): boolean {
    if (!areAscendingMembers(signers, keys.size)) return false;
    const signature = decodeSignatureUnchecked(aggregate, BLS_AGGREGATE_BYTES);
    return signature !== undefined && verifyChecked(message, keys.sum(signers), signature);
  }

  function checkAggregate({ message, publicKeys, aggregate }: AggregateRequest): boolean {
    const signature = decodeSignatureUnchecked(aggregate, BLS_AGGREGATE_BYTES);
    const key = signature && sums.sum(publicKeys);
    return signature !== undefined && key !== undefined && verifyChecked(message, key, signature);
  }

  function checkAccounts(batch: readonly AccountSignature[], pause: () => void): readonly boolean[] {
    return batch.map(({ publicKey, message, signature }, index) => {
      if (index > 0 && index % ACCOUNTS_PER_PAUSE === 0) pause();
      return ed25519Verify(publicKey, message, signature);
    });
  }

  return {
    sign,
    checkQuorum: (request, pause) => checkQuorum(request, keys, { monotonicMs, pause }),
    checkVote,
    checkCertificate,
    checkAggregate,
    checkAccounts,
  };
}

function areAscendingMembers(signers: readonly number[], committeeSize: number): boolean {
  let previous = -1;
  for (const signer of signers) {
    if (!Number.isInteger(signer) || signer <= previous || signer >= committeeSize) return false;
    previous = signer;
  }
  return signers.length > 0;
}
