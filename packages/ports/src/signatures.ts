/**
 * Signing and verification: blst and libsodium in worker threads, or on the caller's thread in simulation.
 *
 * Validators are named by epoch and committee index, so that keys are decoded once. BLS12-381, min-pk: 192 bytes uncompressed in votes and
 * proposals, 96 bytes compressed in certificates.
 */
import { unreachable } from '@slipstream/primitives';

/** Signs with one key. */
export interface Signer {
  /** 48 bytes, compressed. */
  readonly publicKey: Uint8Array;
  /** 192 bytes each, in order. Precedes all verification. */
  sign(messages: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
}

/** The secret keys of a validator, which rotates them. */
export interface SigningKeys {
  /** Takes over the 32 secret bytes and erases them. */
  addKey(secretKey: Uint8Array): Promise<Signer>;
  /** What was asked for earlier is still signed; signers of this key reject from now on. Settles once it is removed. Idempotent. */
  removeKey(publicKey: Uint8Array): Promise<void>;
}

/** In the order of service. */
const PRIORITIES = ['consensus', 'block', 'chunk', 'client'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Whether a request with priority `asked` is served no later than one with `wanted`, so that it can be joined. */
export function isAsUrgent(asked: Priority, wanted: Priority): boolean {
  return PRIORITIES.indexOf(asked) <= PRIORITIES.indexOf(wanted);
}

/** The keys that votes and certificates of an epoch are checked with. */
export interface EpochKeys {
  readonly epoch: number;
  /** 48 bytes each, in the committee's order. */
  readonly publicKeys: readonly Uint8Array[];
}

/**
 * The committees that a verifier knows: a bounded number.
 *
 * A request is judged by the committees known when it was made. Votes and certificates of an epoch without a committee are false, since
 * peers choose the epoch that they name; a quorum of one is a mistake of its caller. So a caller that would blame a peer asks only about
 * epochs whose committee it holds.
 */
export interface VerifierCommittees {
  /** Possession of the keys must be proven; nothing is valid under an invalid key. A known epoch keeps its keys: others are a mistake. */
  addCommittee(epoch: number, publicKeys: readonly Uint8Array[]): void;
  /** Idempotent. */
  dropCommittee(epoch: number): void;
}

export interface SignedVote {
  /** Committee index. */
  readonly signer: number;
  /** 192 bytes. */
  readonly signature: Uint8Array;
  /** Own, or valid in an earlier bisection: never checked alone again. */
  readonly verified: boolean;
}

export interface QuorumRequest {
  readonly epoch: number;
  /** 32 bytes. */
  readonly message: Uint8Array;
  readonly votes: readonly SignedVote[];
}

export interface QuorumResult {
  /** 96 bytes, of all votes; undefined unless the first, unblinded check passes. */
  readonly aggregate: Uint8Array | undefined;
  /** Found by bisection. */
  readonly offenders: readonly number[];
  /** Proven one by one in a bisection. */
  readonly verified: readonly number[];
  /** Pairing checks, the first included. */
  readonly checks: number;
  readonly tookMs: number;
}

export interface CertificateRequest {
  readonly epoch: number;
  readonly message: Uint8Array;
  /** Ascending. */
  readonly signers: readonly number[];
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

/** A certificate by keys outside the committee: another chain's committee, or its root key. */
export interface AggregateRequest {
  readonly message: Uint8Array;
  /** 48 bytes each, of exactly the signers. A trusted party must have checked their proofs of possession. */
  readonly publicKeys: readonly Uint8Array[];
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

export interface VoteRequest {
  readonly epoch: number;
  readonly message: Uint8Array;
  /** Committee index. */
  readonly signer: number;
  /** 192 bytes. */
  readonly signature: Uint8Array;
}

/** A BLS statement of a batch, answered as by the call of its kind. */
export type Statement =
  | ({ readonly kind: 'vote' } & VoteRequest)
  | ({ readonly kind: 'certificate' } & CertificateRequest)
  | ({ readonly kind: 'aggregate' } & AggregateRequest);

/** One signature for all senders of a distilled batch. */
export interface DistilledClaim {
  /** 32 bytes: the batch's id. */
  readonly message: Uint8Array;
  /** 96 bytes each, uncompressed, of the account directory: their possession is proven, and they are in the group. */
  readonly keys: Uint8Array;
  /** 96 bytes. */
  readonly aggregate: Uint8Array;
}

/** In a call. Their keys take 50 MB if each batch is full. */
export const DISTILLED_CLAIMS_MAX = 64;
/** In a call: a full chunk. */
export const ACCOUNT_SIGNATURES_MAX = 10_000;

export interface DistilledVerifier {
  /** One answer per claim, in order; DISTILLED_CLAIMS_MAX at most. False: keys that cancel, a signature outside the group, or one that does not verify. */
  checkDistilled(claims: readonly DistilledClaim[], priority: Priority): Promise<readonly boolean[]>;
}

/** What a client of a broker signs for some senders of a batch. */
export interface Share {
  /** 96 bytes each, as in a DistilledClaim; one at least. */
  readonly keys: Uint8Array;
  /** 192 bytes: the sum of their signatures. */
  readonly signature: Uint8Array;
}

export interface ShareRequest {
  /** 32 bytes: the batch's id. */
  readonly message: Uint8Array;
  /** No key is in two of them. */
  readonly shares: readonly Share[];
}

export interface ShareSum {
  /** 96 bytes, of all good shares; undefined: there is none, or their keys cancel. */
  readonly aggregate: Uint8Array | undefined;
  /** In order. In a sum that holds, errors of several shares may cancel. */
  readonly good: readonly boolean[];
}

/** In a call: a full batch of distinct clients. */
export const SHARES_MAX = 8_192;

export interface ShareVerifier {
  /** One check of the sum; if it fails, each share is judged by bisection. SHARES_MAX at most. */
  sumShares(request: ShareRequest, priority: Priority): Promise<ShareSum>;
}

export interface AccountSignature {
  /** 32 bytes, Ed25519. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

export interface Verifier {
  /** One aggregate check; bisection on failure. */
  checkQuorum(request: QuorumRequest): Promise<QuorumResult>;
  checkVote(request: VoteRequest, priority: Priority): Promise<boolean>;
  checkCertificate(request: CertificateRequest, priority: Priority): Promise<boolean>;
  checkAggregate(request: AggregateRequest, priority: Priority): Promise<boolean>;
  /** One answer per statement, in order. The verifier picks the form: one message, or distinct ones. */
  checkBatch(batch: readonly Statement[], priority: Priority): Promise<readonly boolean[]>;
  /** One answer per entry, in order, by libsodium's rules; ACCOUNT_SIGNATURES_MAX at most. `issuer` is charged for bad ones; undefined is this node. */
  checkAccounts(
    batch: readonly AccountSignature[],
    priority: Priority,
    issuer?: string | undefined,
  ): Promise<readonly boolean[]>;
}

/** The same answers by single checks: for stand-ins, and as the other side of a comparison. */
export function checkOneByOne(
  verifier: Pick<Verifier, 'checkVote' | 'checkCertificate' | 'checkAggregate'>,
  batch: readonly Statement[],
  priority: Priority,
): Promise<readonly boolean[]> {
  return Promise.all(
    batch.map((statement) => {
      switch (statement.kind) {
        case 'vote':
          return verifier.checkVote(statement, priority);
        case 'certificate':
          return verifier.checkCertificate(statement, priority);
        case 'aggregate':
          return verifier.checkAggregate(statement, priority);
        default:
          return unreachable(statement, 'statement');
      }
    }),
  );
}
