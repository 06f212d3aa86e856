/**
 * Signing and verification. Real: blst and libsodium in worker threads. Simulated: the same code on the caller's thread, or a keyed-hash
 * stand-in (test folders only).
 *
 * Validators are named by their committee index, so that keys are decoded once.
 * Signatures: 192 bytes uncompressed in votes and proposals, 96 bytes compressed in certificates (BLS12-381, min-pk).
 */
export interface Signer {
  /** 48 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /** One 192-byte signature per message, in order. Goes before all verification. */
  sign(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

/** In the order of service. */
const PRIORITIES = ['consensus', 'block', 'chunk', 'client'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** True when a request with priority `asked` is served no later than one with `wanted`, so that it can be joined. */
export function isAsUrgent(asked: Priority, wanted: Priority): boolean {
  return PRIORITIES.indexOf(asked) <= PRIORITIES.indexOf(wanted);
}

export interface SignedVote {
  /** Index in the committee. */
  readonly signer: number;
  /** 192 bytes. */
  readonly signature: Uint8Array;
  /** Already proven alone (own, or valid in an earlier bisection): never checked alone again. */
  readonly verified: boolean;
}

export interface QuorumRequest {
  /** The 32 bytes that all votes sign. */
  readonly message: Uint8Array;
  readonly votes: readonly SignedVote[];
}

export interface QuorumResult {
  /** 96-byte aggregate of all votes when the first, unblinded check passes. */
  readonly aggregate: Uint8Array | undefined;
  /** Signers found bad by bisection; empty with an aggregate. */
  readonly offenders: readonly number[];
  /** Signers proven good one by one; only after a bisection. */
  readonly verified: readonly number[];
  /** Pairing checks, the first included. */
  readonly checks: number;
  readonly tookMs: number;
}

export interface CertificateRequest {
  readonly message: Uint8Array;
  /** Indices in the committee, ascending. */
  readonly signers: readonly number[];
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

/** A certificate by keys outside the committee: another chain's committee, or its root key. */
export interface AggregateRequest {
  readonly message: Uint8Array;
  /** 48 bytes each: of exactly the signers. Their proofs of possession must have been checked by a trusted party. */
  readonly publicKeys: readonly Uint8Array[];
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

export interface AccountSignature {
  /** 32-byte Ed25519 public key. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export interface Verifier {
  /** One aggregate check; bisection on failure. */
  checkQuorum(request: QuorumRequest): Promise<QuorumResult>;
  checkVote(message: Uint8Array, signer: number, signature: Uint8Array, priority: Priority): Promise<boolean>;
  checkCertificate(request: CertificateRequest, priority: Priority): Promise<boolean>;
  checkAggregate(request: AggregateRequest, priority: Priority): Promise<boolean>;
  /**
   * One answer per entry, in order. Ed25519 by libsodium's rules. `issuer`: the peer or address charged for bad ones; undefined: this node.
   */
  checkAccounts(
    batch: readonly AccountSignature[],
    priority: Priority,
    issuer?: string | undefined,
  ): Promise<readonly boolean[]>;
}
