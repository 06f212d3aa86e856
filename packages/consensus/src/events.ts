/**
 * Events and effects: the interface of the consensus core.
 *
 *   step(event) -> effects
 *
 * Effects are carried out in order. What `cast` and `propose` sign is durable before it is sent, after everything that the core emitted
 * earlier (I3, I6).
 */
import type {
  CertificateRequest,
  PeerKey,
  Priority,
  QuorumRequest,
  QuorumResult,
  TelemetryFields,
  VoteRequest,
} from '@slipstream/ports';
import type { Durable } from '@slipstream/primitives';
import type {
  Block,
  BlockId,
  BlockReason,
  Certificate,
  ChunkReference,
  Committee,
  ConsensusFrame,
  Epoch,
  EpochEnd,
  EpochRecord,
  Evidence,
  Finalization,
  Heartbeat,
  OutgoingConsensusFrame,
  Proposal,
  ProposalKind,
  RecordHash,
  StateCertificate,
  StateDigest,
  Subject,
  View,
  Vote,
} from '@slipstream/types';
import type { PayloadRequest, PayloadVerdict } from './application.ts';

/** The record of the next epoch, as sealed by the block of this height. */
export interface Seal {
  readonly recordHash: RecordHash;
  readonly height: number;
  readonly record: EpochRecord;
}

export type Event =
  /** Also the first event of a process. */
  | { readonly type: 'tick' }
  /** The signing-history query ended. `finalizedUpToView`: the highest refused view of which a peer holds an own Finalize. */
  | { readonly type: 'signing-enabled'; readonly finalizedUpToView: number }
  | { readonly type: 'peer-connected'; readonly peer: PeerKey }
  | { readonly type: 'consensus-frame'; readonly from: PeerKey; readonly frame: ConsensusFrame }
  | { readonly type: 'proposal'; readonly from: PeerKey; readonly proposal: Proposal }
  | { readonly type: 'heartbeat'; readonly from: PeerKey; readonly heartbeat: Heartbeat }
  /** It asked as a member of an epoch that has ended here. */
  | { readonly type: 'peer-behind'; readonly peer: PeerKey; readonly epoch: Epoch }
  /** Sent. */
  | {
      readonly type: 'cast-done';
      readonly votes: readonly Durable<Vote>[];
      readonly confirmation: Durable<Proposal> | undefined;
    }
  | { readonly type: 'propose-done'; readonly proposal: Durable<Proposal> }
  | { readonly type: 'verified'; readonly token: number; readonly verdict: Verdict }
  | { readonly type: 'payload-built'; readonly request: PayloadRequest; readonly payload: readonly ChunkReference[] }
  | { readonly type: 'payload-checked'; readonly blockId: BlockId; readonly verdict: PayloadVerdict }
  | { readonly type: 'executed'; readonly blockId: BlockId; readonly digest: StateDigest }
  /** Found outside the core: an undecodable frame, an invalid chunk, wrong framing. */
  | { readonly type: 'offence'; readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }
  | { readonly type: 'pending-changed'; readonly pending: boolean }
  /** Executed and certified. */
  | ({ readonly type: 'sealed' } & Seal)
  /** By a state certificate of the epoch before. */
  | { readonly type: 'certified-below'; readonly height: number }
  /** Executed, certified, durable; its data has left memory. */
  | { readonly type: 'committed'; readonly height: number }
  | {
      readonly type: 'fetched';
      readonly query: FetchQuery;
      readonly from: PeerKey;
      readonly blocks: readonly Block[];
      readonly certificates: readonly Certificate[];
    };

/** How an epoch began. */
export interface BegunEpoch {
  readonly seal: Seal;
  /** Of the epoch before. */
  readonly end: EpochEnd;
}

export type Verdict =
  | { readonly type: 'quorum'; readonly result: QuorumResult }
  | { readonly type: 'certificate'; readonly valid: boolean }
  | { readonly type: 'votes'; readonly valid: readonly boolean[] };

export type VerifyRequest =
  | { readonly type: 'quorum'; readonly request: QuorumRequest }
  | { readonly type: 'certificate'; readonly request: CertificateRequest }
  | { readonly type: 'votes'; readonly votes: readonly VoteRequest[]; readonly priority: Priority };

export type FetchQuery =
  | { readonly type: 'block'; readonly blockId: BlockId }
  | { readonly type: 'certificates'; readonly from: View; readonly to: View }
  | { readonly type: 'finalized'; readonly from: number; readonly to: number };

export interface Confirm {
  readonly block: Block;
  readonly blockId: BlockId;
}

export type Effect =
  /** Sign, write, sync, broadcast in one frame, then report `cast-done`. */
  | {
      readonly type: 'cast';
      /** In the committee of the votes' epoch; undefined on a full node. */
      readonly signer: number | undefined;
      readonly votes: readonly Subject[];
      readonly certificates: readonly Certificate[];
      readonly confirm: Confirm | undefined;
    }
  /** Sign, write, sync, broadcast, then report `propose-done`. */
  | {
      readonly type: 'propose';
      readonly kind: ProposalKind;
      readonly block: Block;
      readonly blockId: BlockId;
      readonly justification: readonly Certificate[];
    }
  /** Unchanged. `to` undefined: all. */
  | { readonly type: 'resend'; readonly to: PeerKey | undefined; readonly frame: OutgoingConsensusFrame }
  | { readonly type: 'resend-proposal'; readonly to: PeerKey | undefined; readonly proposal: Durable<Proposal> }
  | { readonly type: 'heartbeat'; readonly heartbeat: Heartbeat }
  | { readonly type: 'persist-block'; readonly block: Block; readonly blockId: BlockId }
  | { readonly type: 'persist-certificate'; readonly certificate: Certificate }
  /** The only timer. Replaces the previous request. */
  | { readonly type: 'wake'; readonly atMs: number }
  | { readonly type: 'verify'; readonly token: number; readonly request: VerifyRequest }
  | { readonly type: 'build-payload'; readonly request: PayloadRequest }
  | { readonly type: 'check-payload'; readonly blockId: BlockId; readonly block: Block }
  | { readonly type: 'execute'; readonly blockId: BlockId; readonly block: Block }
  /** Payload and execution are no longer needed. */
  | { readonly type: 'drop'; readonly blockId: BlockId }
  /** A verified block of another leader, for full nodes; once per block. */
  | { readonly type: 'relay-proposal'; readonly proposal: Proposal }
  /** `hint`: members that should have the data, best first. */
  | { readonly type: 'fetch'; readonly query: FetchQuery; readonly hint: readonly number[] }
  | { readonly type: 'notarized'; readonly blockId: BlockId }
  | {
      readonly type: 'finalized';
      readonly blockId: BlockId;
      readonly block: Block;
      readonly certificate: Finalization | StateCertificate;
    }
  | { readonly type: 'certified'; readonly certificate: StateCertificate }
  /** The epoch's last block is final and delivered; `certificate` is its own or that of the last filler. */
  | ({ readonly type: 'moved' } & EpochEnd)
  /** Before anything that is signed in the next epoch (rule 10). */
  | { readonly type: 'persist-epoch'; readonly begun: BegunEpoch }
  /** This node is in the next epoch; `self` undefined: it follows. */
  | {
      readonly type: 'epoch-begun';
      readonly record: EpochRecord;
      readonly committee: Committee;
      readonly self: number | undefined;
      /** An earlier life of this process may have signed in the epoch. */
      readonly mayHaveBegun: boolean;
    }
  | { readonly type: 'block-peer'; readonly peer: PeerKey; readonly reason: BlockReason; readonly detail: string }
  | { readonly type: 'evidence'; readonly evidence: Evidence }
  | { readonly type: 'report'; readonly event: string; readonly fields: TelemetryFields };
