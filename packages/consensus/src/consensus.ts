/** The interface between consensus and the node's assembly. */
import type { Clock, PeerEvent, PeerKey, Random, Signer, Telemetry, Transport, Verifier } from '@slipstream/ports';
import type {
  Block,
  BlockId,
  BlockReason,
  Certificate,
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
import type { FetchQuery } from './events.ts';

/** Frames for consensus; all come from members only. */
export type ConsensusFrames = Extract<
  Frame,
  { readonly name: 'consensus' | 'proposal' | 'heartbeat' | 'historyQuery' | 'historyAnswer' }
>;

interface SyncPort {
  /** Fetches data that the core lacks; answers go to `onFetched`. `hint`: members that should have it, best first. */
  fetch(query: FetchQuery, hint: readonly number[]): void;
  /** Relays verified messages to full nodes. */
  relayCertificate(certificate: Certificate): void;
  relayProposal(proposal: Proposal): void;
}

/** What a node signs now. */
export type Signing =
  | { readonly state: 'signing' }
  /** These members have not answered yet what this validator signed last (H4). */
  | { readonly state: 'querying'; readonly unanswered: readonly number[] }
  /** No message of a view up to this one is signed (H2, H7), and the chain has not passed it. */
  | { readonly state: 'refused'; readonly upToView: number };

interface CoreRecorder {
  /** Wraps the core; the wrapper records from now on. */
  record(core: Core, setting: CoreSetting): Core;
}

export interface ConsensusComponents {
  readonly transport: Pick<Transport, 'send' | 'broadcast' | 'block' | 'unblock'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifier: Verifier;
  readonly wal: Wal;
  /** Undefined on a full node. */
  readonly signing: { readonly signer: Signer; readonly signState: SignState } | undefined;
  readonly application: Application;
  readonly sync: SyncPort;
  readonly telemetry: Telemetry;
  readonly recorder?: CoreRecorder | undefined;
  readonly onEvidence?: ((evidence: Evidence) => void) | undefined;
  /** A peer was banned. */
  readonly onBanned?: ((peer: PeerKey, reason: BlockReason, detail: string) => void) | undefined;
  /** Consensus cannot continue, and the node must stop. Called once. */
  readonly onFatal: (error: unknown) => void;
}

export interface ConsensusSetting extends CoreSetting {
  /** Own messages below this view may have been pruned from the log. */
  readonly firstRetainedView: number;
}

export interface Consensus {
  /**
   * Call after the transport has started; peers are answered at once. Resolves when the signing-history query allows signing, when
   * there is nothing to sign, or at stop().
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  status(): CoreStatus;
  /** Undefined on a full node. */
  signing(): Signing | undefined;
  leaderOf: Core['leaderOf'];
  /** False for banned peers, and for all after consensus has stopped. */
  acceptsFrom(peer: PeerKey): boolean;
  onFrame(from: PeerKey, frame: ConsensusFrames): void;
  onPeer(event: PeerEvent): void;
  onFetched(query: FetchQuery, from: PeerKey, response: Pick<SyncResponse, 'blocks' | 'certificates'>): void;
  /** Call when the application gains its first pending item or loses its last. */
  pendingChanged(): void;
  /** This block is committed: log records below its view may be pruned, except records from `logFloor` on. */
  committed(block: { readonly view: number; readonly height: number }, logFloor?: number): void;
  /** Bans a peer for an offence found outside the core (an invalid chunk, a malformed frame). */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  unblock(peer: PeerKey): void;
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}
