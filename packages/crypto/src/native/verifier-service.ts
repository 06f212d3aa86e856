import type {
  DistilledVerifier,
  QuorumResult,
  ShareSum,
  ShareVerifier,
  Signer,
  SigningKeys,
  Verifier,
  VerifierCommittees,
} from '@slipstream/ports';
import { CryptoError } from '../errors.ts';
import type { BatchAnswers } from './batch-check.ts';
import type { ShareAnswers } from './share-sum.ts';

/**
 * Of a stopped service, `addKey` and `removeKey` reject too. `addCommittee` throws CryptoError `invalid-committee`, `addKey` rejects with
 * `invalid-secret-key`.
 */
export interface VerifierService extends VerifierCommittees, SigningKeys {
  readonly verifier: Verifier;
  readonly distilled: DistilledVerifier;
  /** For a broker. */
  readonly shares: ShareVerifier;
  /** Of the key that the service was made with. `publicKey` is empty without one, and `sign` rejects with CryptoError `no-secret-key`. */
  readonly signer: Signer;
  stats(): VerifierStats;
  /** Idempotent. Pending requests reject with CryptoError `stopped`. */
  stop(): Promise<void>;
}

export interface VerifierStats {
  readonly quorums: number;
  /** Quorums that failed the first check. */
  readonly bisections: number;
  readonly offenders: number;
  /** Jobs of several votes and certificates, and what was in them. */
  readonly batches: number;
  readonly batchedStatements: number;
  /** BLS, of quorums, votes, certificates and batches. */
  readonly pairingChecks: number;
  readonly accountSignatures: number;
  readonly accountSignaturesRefused: number;
  readonly signatures: number;
  readonly queuedRequests: number;
  readonly queuedBytes: number;
}

/** Public key of a signer without a secret key. */
export const NO_KEY: Uint8Array = new Uint8Array(0);

/** Throws CryptoError `no-secret-key` for undefined. */
export function signed(signatures: readonly Uint8Array[] | undefined): readonly Uint8Array[] {
  if (signatures === undefined) {
    throw new CryptoError('no-secret-key', 'this verifier holds no secret key for that public key');
  }
  return signatures;
}

interface VerifierCounters {
  quorum(result: QuorumResult): QuorumResult;
  batch(answers: BatchAnswers): readonly boolean[];
  shares(answers: ShareAnswers): ShareSum;
  accounts(answers: readonly boolean[]): readonly boolean[];
  signed(signatures: readonly Uint8Array[]): readonly Uint8Array[];
  read(queuedRequests: number, queuedBytes: number): VerifierStats;
}

/** Each method counts, and returns the answer. */
export function createVerifierCounters(): VerifierCounters {
  const counted = {
    quorums: 0,
    bisections: 0,
    offenders: 0,
    batches: 0,
    batchedStatements: 0,
    pairingChecks: 0,
    accountSignatures: 0,
    accountSignaturesRefused: 0,
    signatures: 0,
  };
  return {
    quorum(result) {
      counted.quorums++;
      counted.pairingChecks += result.checks;
      counted.offenders += result.offenders.length;
      if (result.aggregate === undefined) counted.bisections++;
      return result;
    },
    batch({ valid, checks }) {
      if (valid.length > 1) {
        counted.batches++;
        counted.batchedStatements += valid.length;
      }
      counted.pairingChecks += checks;
      return valid;
    },
    shares({ aggregate, good, checks }) {
      counted.pairingChecks += checks;
      return { aggregate, good };
    },
    accounts(answers) {
      counted.accountSignatures += answers.length;
      for (const valid of answers) if (!valid) counted.accountSignaturesRefused++;
      return answers;
    },
    signed(signatures) {
      counted.signatures += signatures.length;
      return signatures;
    },
    read: (queuedRequests, queuedBytes) => ({ ...counted, queuedRequests, queuedBytes }),
  };
}
