import type { QuorumResult, Signer, Verifier } from '@slipstream/ports';

export interface VerifierService {
  readonly verifier: Verifier;
  /** `publicKey` is empty without a secret key. */
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
  /** BLS, of quorums, votes and certificates. */
  readonly pairingChecks: number;
  readonly accountSignatures: number;
  readonly accountSignaturesRefused: number;
  readonly signatures: number;
  readonly queuedRequests: number;
  readonly queuedBytes: number;
}

interface VerifierCounters {
  quorum(result: QuorumResult): QuorumResult;
  single(valid: boolean): boolean;
  accounts(answers: readonly boolean[]): readonly boolean[];
  signed(signatures: readonly Uint8Array[]): readonly Uint8Array[];
  read(queuedRequests: number, queuedBytes: number): VerifierStats;
}

/** Each method counts and returns its argument. */
export function createVerifierCounters(): VerifierCounters {
  const counted = {
    quorums: 0,
    bisections: 0,
    offenders: 0,
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
    single(valid) {
      counted.pairingChecks++;
      return valid;
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
