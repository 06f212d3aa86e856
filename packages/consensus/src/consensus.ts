/** The interface of consensus to the node's assembly. */
import type {
  Clock,
  FrameSender,
  PeerEvent,
  PeerKey,
  Random,
  Signer,
  Telemetry,
  Transport,
  Verifier,
} from '@slipstream/ports';
import type {
  Block,
  BlockId,
  BlockReason,
  Certificate,
  Committee,
  Epoch,
  EpochRecord,
  Evidence,
  Frame,
  Proposal,
  SyncResponse,
  View,
} from '@slipstream/types';
import type { SignState, Wal } from '@slipstream/wal';
import type { Application } from './application.ts';
import type { CoreSetting } from './context.ts';
import type { Core, CoreStatus } from './core.ts';
import type { EpochHostSetting } from './epoch-host.ts';
import type { FetchQuery, Seal } from './events.ts';

/** Members alone send these, but for heartbeats. */
export type ConsensusFrames = Extract<
  Frame,
  { readonly name: 'consensus' | 'proposal' | 'heartbeat' | 'historyQuery' | 'historyAnswer' }
>;

interface SyncPort {
  /** Answers go to `onFetched`. `hint`: members that should have the data, best first. */
  fetch(query: FetchQuery, hint: readonly number[]): void;
  /** To full nodes; verified. */
  relayCertificate(certificate: Certificate): void;
  relayProposal(proposal: Proposal): void;
  /** Another committee; `self` undefined: this node follows it. */
  moved(next: { readonly committee: Committee; readonly self: number | undefined }): void;
}

export type Signing =
  | { readonly state: 'signing' }
  /** These members have not answered the signing-history query (H4). */
  | { readonly state: 'querying'; readonly unanswered: readonly number[] }
  /** This validator signs no message up to this view (H2, H7), and the chain has not passed it. */
  | { readonly state: 'refused'; readonly upToView: number };

export interface SigningComponents {
  readonly signState: SignState;
  /** Called when an epoch begins. Undefined: this node has no key for its place, and follows. */
  signerFor(committee: Committee, self: number): Signer | undefined;
}

interface CoreRecorder {
  /** The returned core records from now on. */
  record(core: Core, setting: CoreSetting): Core;
}

export interface ConsensusComponents {
  readonly transport: FrameSender & Pick<Transport, 'block' | 'unblock'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
  readonly wal: Pick<Wal, 'append' | 'prune' | 'durableSequence' | 'failed'>;
  /** Undefined on a full node. */
  readonly signing: SigningComponents | undefined;
  readonly application: Application;
  readonly sync: SyncPort;
  readonly telemetry: Telemetry;
  readonly recorder?: CoreRecorder | undefined;
  readonly onEvidence?: ((evidence: Evidence) => void) | undefined;
  readonly onBanned?: ((peer: PeerKey, reason: BlockReason, detail: string) => void) | undefined;
  /** This node has moved to a later epoch. Called before anything of that epoch is verified or signed. */
  readonly onEpoch?: ((begun: { readonly record: EpochRecord; readonly self: number | undefined }) => void) | undefined;
  /** Consensus cannot continue: the node must stop. Called once. */
  readonly onFatal: (error: unknown) => void;
}

export interface ConsensusSetting extends EpochHostSetting {
  /** The log may lack own messages below this view. */
  readonly firstRetainedView: number;
}

export interface Consensus {
  /** Call after the transport has started. Resolves when the signing-history query allows signing, or at stop(). */
  start(): Promise<void>;
  stop(): Promise<void>;
  status(): CoreStatus;
  /** Of the current epoch. */
  committee(): Committee;
  epoch(): Epoch;
  /** In that committee; undefined: this node follows. */
  self(): number | undefined;
  /** Undefined on a node that follows. */
  signing(): Signing | undefined;
  leaderOf: Core['leaderOf'];
  /** False for banned peers, and after consensus has stopped. */
  acceptsFrom(peer: PeerKey): boolean;
  /** Of the epoch before, the current one, or the next one once it is sealed. */
  isMember(peer: PeerKey): boolean;
  onFrame(from: PeerKey, frame: ConsensusFrames): void;
  onPeer(event: PeerEvent): void;
  onFetched(query: FetchQuery, from: PeerKey, response: Pick<SyncResponse, 'blocks' | 'certificates'>): void;
  /** The application gained its first pending item or lost its last. */
  pendingChanged(): void;
  /** Log records below this committed block's view may be pruned, except from `logFloor` on. */
  committed(block: { readonly view: number; readonly height: number }, logFloor?: number): void;
  /** Bans a peer for an offence found outside the core. */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  unblock(peer: PeerKey): void;
  /** The seal of the current epoch is executed, and certified or named by the final boundary: the epoch closes (rule 10). */
  sealed(seal: Seal): void;
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}
