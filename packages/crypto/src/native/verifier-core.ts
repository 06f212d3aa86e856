/** All checks of a verifier, synchronous. Each is made with the committees that its request came with. */
import type { AccountSignature, QuorumRequest, QuorumResult, Statement } from '@slipstream/ports';
import { assert, unreachable } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, BLS_SIGNATURE_BYTES } from '@slipstream/types';
import { type BatchAnswers, checkBatch, type DecodedStatement } from './batch-check.ts';
import { type BlsPublicKey, decodeSignatureUnchecked } from './binding.ts';
import type { Committees } from './committees.ts';
import { ed25519Verify } from './ed25519.ts';
import { createKeySums } from './key-sums.ts';
import { checkQuorum } from './quorum-check.ts';

/** Half a millisecond. */
const ACCOUNTS_PER_PAUSE = 8;

/** Signers and epochs: checked (requests.ts). */
export interface VerifierCore {
  checkQuorum(request: QuorumRequest, committees: Committees, pause: () => void): QuorumResult;
  checkBatch(batch: readonly Statement[], committees: Committees, pause: () => void): BatchAnswers;
  checkAccounts(batch: readonly AccountSignature[], pause: () => void): readonly boolean[];
}

export function createVerifierCore({ monotonicMs }: { readonly monotonicMs: () => number }): VerifierCore {
  const sums = createKeySums();

  /** Undefined: false without a pairing. The signature comes first, as decoding keys is slow. */
  function decode(statement: Statement, committees: Committees): DecodedStatement | undefined {
    const { kind, message } = statement;
    const isVote = kind === 'vote';
    const encoded = isVote ? statement.signature : statement.aggregate;
    const signature = decodeSignatureUnchecked(encoded, isVote ? BLS_SIGNATURE_BYTES : BLS_AGGREGATE_BYTES);
    const publicKey = signature && keyOf(statement, committees);
    return publicKey && { message, publicKey, encoded, signature };
  }

  /** Undefined: of no known committee, or not of distinct members in order. */
  function keyOf(statement: Statement, committees: Committees): BlsPublicKey | undefined {
    switch (statement.kind) {
      case 'vote':
        return committees.get(statement.epoch)?.key(statement.signer);
      case 'certificate': {
        const { epoch, signers } = statement;
        const keys = committees.get(epoch);
        return keys && areAscendingMembers(signers, keys.size) ? keys.sum(signers) : undefined;
      }
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
    checkQuorum(request, committees, pause) {
      const keys = committees.get(request.epoch);
      assert(keys !== undefined, 'a quorum is of a known committee');
      return checkQuorum(request, keys, { monotonicMs, pause });
    },
    checkBatch: (batch, committees, pause) =>
      checkBatch(
        batch.map((statement) => decode(statement, committees)),
        pause,
      ),
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
