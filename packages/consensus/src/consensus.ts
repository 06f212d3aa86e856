/** What consensus is given, and what it offers: everything that the node's assembly knows of it. */
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

/** The frames that consensus takes; all of them from members alone. */
export type ConsensusFrames = Extract<
  Frame,
  { readonly name: 'consensus' | 'proposal' | 'heartbeat' | 'startupAsk' | 'startupAnswer' }
>;

/** What sync does for consensus. */
export interface SyncPort {
  /** Asks peers for what the core misses; answers come to `onFetched`. `hint`: members that should have it, best first. */
  fetch(query: FetchQuery, hint: readonly number[]): void;
  /** Passes on to full nodes what was verified here. */
  relayCertificate(certificate: Certificate): void;
  relayProposal(proposal: Proposal): void;
}

/** What a node signs now. */
export type Signing =
  | { readonly state: 'signing' }
  /** These members have not answered yet what this validator signed last (H4). */
  | { readonly state: 'querying'; readonly unanswered: readonly number[] }
  /** Nothing of a view up to this one is signed (H2, H7), and the chain has not passed it. */
  | { readonly state: 'refused'; readonly upToView: number };

/** A flight recorder. */
export interface CoreRecorder {
  /** The same core, recorded from now on. */
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
  /** A peer is banned from now on, and why. */
  readonly onBanned?: ((peer: PeerKey, reason: BlockReason, detail: string) => void) | undefined;
  /** Consensus cannot go on; the node stops. Called once. */
  readonly onFatal: (error: unknown) => void;
}

export interface ConsensusSetting extends CoreSetting {
  /** Own messages below this view may be gone from the log by pruning. */
  readonly firstRetainedView: number;
}

export interface Consensus {
  /**
   * Called when the transport has started. Answers peers at once. Resolves when signing is allowed by the start-up question, or there is
   * nothing to sign, or at stop().
   */
  start(): Promise<void>;
  stop(): Promise<void>;
  status(): CoreStatus;
  /** Undefined on a node that only follows. */
  signing(): Signing | undefined;
  leaderOf: Core['leaderOf'];
  /** False for banned peers, and for all once consensus has stopped. */
  acceptsFrom(peer: PeerKey): boolean;
  onFrame(from: PeerKey, frame: ConsensusFrames): void;
  onPeer(event: PeerEvent): void;
  onFetched(query: FetchQuery, from: PeerKey, response: Pick<SyncResponse, 'blocks' | 'certificates'>): void;
  /** The application has something to include, or nothing any more. */
  pendingChanged(): void;
  /** This block is committed: the log may forget everything below its view, but for what stands from `logFloor` on. */
  committed(block: { readonly view: number; readonly height: number }, logFloor?: number): void;
  /** Bans a peer for something found outside the core (a bad chunk, a malformed frame). */
  offence(peer: PeerKey, reason: BlockReason, detail: string): void;
  unblock(peer: PeerKey): void;
  blockById(id: BlockId): Block | undefined;
  certificatesInRange(from: View, to: View, limit: number): readonly Certificate[];
  newestCertificates(limit: number): readonly Certificate[];
  finalizedHeight(): number;
}
