/**
 * Signing and verification as the protocol needs them. Real: blst and libsodium in worker threads. Simulated: the same
 * code on the caller's thread, or a keyed-hash stand-in (test folders only).
 *
 * Validators are named by their index in the committee the verifier was made with: keys are decoded once.
 * Signatures: 192 bytes uncompressed in votes and proposals, 96 bytes compressed in certificates (BLS12-381, min-pk).
 */
export interface Signer {
  /** 48 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /** One 192-byte signature a message, in order. First in line of the verifier's work. */
  sign(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

/** Served in this order. */
export const PRIORITIES = ['consensus', 'block', 'chunk', 'client'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Whether what was asked for with `asked` is served no later than if it had been with `wanted`: then it may be waited for instead. */
export function isAsUrgent(asked: Priority, wanted: Priority): boolean {
  return PRIORITIES.indexOf(asked) <= PRIORITIES.indexOf(wanted);
}

export interface SignedVote {
  /** Index in the committee. */
  readonly signer: number;
  /** 192 bytes. */
  readonly signature: Uint8Array;
  /** Known valid one by one already (own, or passed an earlier bisection): never checked again alone. */
  readonly verified: boolean;
}

export interface QuorumRequest {
  /** The 32 bytes that all of them claim to have signed. */
  readonly message: Uint8Array;
  readonly votes: readonly SignedVote[];
}

export interface QuorumResult {
  /** 96-byte aggregate over all votes when the first, unblinded check passes. */
  readonly aggregate: Uint8Array | undefined;
  /** Signers found bad, by bisection; empty when the aggregate is there. */
  readonly offenders: readonly number[];
  /** Signers proven good one by one; only meaningful after a bisection. */
  readonly verified: readonly number[];
  /** Pairing checks that it took, the first included. */
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

/** A certificate of keys that are not the committee's: another chain's, or its root key. */
export interface AggregateRequest {
  readonly message: Uint8Array;
  /** 48 bytes each: of exactly those who signed. Somebody trusted vouches that their holders know the secrets. */
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
  /** Aggregate, check once, bisect on failure. */
  checkQuorum(request: QuorumRequest): Promise<QuorumResult>;
  checkVote(message: Uint8Array, signer: number, signature: Uint8Array, priority: Priority): Promise<boolean>;
  checkCertificate(request: CertificateRequest, priority: Priority): Promise<boolean>;
  checkAggregate(request: AggregateRequest, priority: Priority): Promise<boolean>;
  /**
   * One answer an entry, in order. Ed25519, as libsodium judges. `issuer`: on whose account, a peer or an address; undefined:
   * the node's own.
   */
  checkAccounts(
    batch: readonly AccountSignature[],
    priority: Priority,
    issuer?: string | undefined,
  ): Promise<readonly boolean[]>;
}
