/** All checks of a verifier, synchronous. */
import type { AccountSignature, QuorumRequest, QuorumResult, Statement } from '@slipstream/ports';
import { unreachable } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { CryptoError } from '../errors.ts';
import { type BatchAnswers, checkBatch, type DecodedStatement } from './batch-check.ts';
import { type BlsPublicKey, decodeSignatureUnchecked } from './binding.ts';
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
  checkBatch(batch: readonly Statement[], pause: () => void): BatchAnswers;
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

  /** Undefined: false without a pairing. The signature comes first, as decoding keys is slow. */
  function decode(statement: Statement): DecodedStatement | undefined {
    const { kind, message } = statement;
    const isVote = kind === 'vote';
    const encoded = isVote ? statement.signature : statement.aggregate;
    const signature = decodeSignatureUnchecked(encoded, isVote ? BLS_SIGNATURE_BYTES : BLS_AGGREGATE_BYTES);
    const publicKey = signature && keyOf(statement);
    return publicKey && { message, publicKey, encoded, signature };
  }

  function keyOf(statement: Statement): BlsPublicKey | undefined {
    switch (statement.kind) {
      case 'vote':
        return keys.key(statement.signer);
      case 'certificate':
        return areAscendingMembers(statement.signers, keys.size) ? keys.sum(statement.signers) : undefined;
      case 'aggregate':
        return sums.sum(statement.publicKeys);
      default:
        return unreachable(statement, 'statement');
    }
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
    checkBatch: (batch, pause) => checkBatch(batch.map(decode), pause),
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
