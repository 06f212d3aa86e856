/** What a light client is given, and what it reports. */
import type { HeightCertificates } from '@slipstream/schema';
import type { Blame, BlameRefusal } from '../accountability/blame.ts';
import type { EpochPin } from '../epochs/committees.ts';
import type { Fetch } from '../request.ts';
import type { WebSocketConstructor } from '../stream-socket.ts';
import type { CertifiedHeight } from './certified-heights.ts';

/** Plain JSON: to begin again where this client was. */
export interface LightCheckpoint extends EpochPin {
  /** Of the epoch: they must hash to `committeeHash`. */
  readonly members: readonly { readonly weight: number; readonly blsPublicKey: string }[];
  /** Highest that was proven; a head below is not taken. Null: none was. */
  readonly height: number | null;
}

export interface LightClientOptions {
  /** The genesis file's JSON: all that is trusted, with the checkpoint. */
  readonly genesis: unknown;
  /** 1 to 64 nodes, none of which is trusted. One honest node that can be reached suffices. */
  readonly urls: readonly string[];
  /** Of this chain, stored where no one else writes. Keys of older committees may be stolen: from it on they mislead no client. */
  readonly checkpoint?: LightCheckpoint;
  /** Where signatures are verified. Default: a worker where the platform has one. */
  readonly checks?: 'worker' | 'inline';
  /** Of a core. Default 0.2. */
  readonly busyShareMax?: number;
  /**
   * Which are verified. `newest`: those between are skipped, so the cost does not follow the chain's rate. `each`: in order; those more than 16
   * below a node's newest are skipped. Default `newest`.
   */
  readonly heights?: 'newest' | 'each';
  /** A node is behind when its newest height is that far below the head. Default 64 heights. */
  readonly behindHeights?: number;
  /** Or when a height above its newest was proven so long ago. Default 15,000 ms. */
  readonly behindMs?: number;
  /** Without a new head for so long the client is stalled. Default 30,000 ms. */
  readonly stalledMs?: number;
  /** For an answer. Default 10,000 ms. */
  readonly timeoutMs?: number;
  /** Default: the platform's. */
  readonly fetch?: Fetch;
  readonly WebSocket?: WebSocketConstructor;
  readonly onHead?: (head: LightHead) => void;
  /** The certificates of a height were verified, or refused. */
  readonly onCheck?: (check: HeightCheck) => void;
  /** State, faults or lag of a node changed. */
  readonly onNode?: (node: NodeView) => void;
  /** Once: afterwards reads throw ClientError `forked`. */
  readonly onConflict?: (conflict: Conflict) => void;
  /** No node proves a newer height. Once until one does. */
  readonly onStalled?: (stalled: { readonly sinceMs: number }) => void;
}

/** The newest height that is proven. Ids: 0x and hexadecimal. */
export interface LightHead {
  readonly height: number;
  readonly epoch: number;
  readonly view: number;
  readonly blockId: string;
  readonly stateDigest: string;
  /** URL of the node that proved it. */
  readonly node: string;
  /** Unix time when it was verified. */
  readonly atMs: number;
}

/** Of the certificates of one height. */
export interface HeightCheck {
  readonly height: number;
  /** URL of the node that gave them. */
  readonly node: string;
  readonly result: CertifiedHeight | { readonly fault: string };
  readonly tookMs: number;
}

/** What a node did. All but the last two exclude it for a time. */
export type NodeFaultCode =
  /** Its genesis is another. */
  | 'other-chain'
  /** A certificate that does not hold. */
  | 'false-certificate'
  /** A handover that does not hold. */
  | 'false-handover'
  /** It reports another block, or another state, at a height that is proven. */
  | 'contradiction'
  /** A proof that does not hold. */
  | 'false-proof'
  /** Too many or too large messages. */
  | 'flood'
  /** Answers or messages without their form. */
  | 'malformed'
  /** It reports heights and proves none of them. */
  | 'unproven'
  /** It is behind, or hides heights: from outside the two are the same. */
  | 'behind';

export interface NodeFault {
  readonly code: NodeFaultCode;
  readonly detail: string;
  /** Unix time. */
  readonly atMs: number;
}

export interface NodeView {
  readonly url: string;
  /** following: its stream is live; excluded: it lied, and is tried again at `excludedUntilMs`. */
  readonly state: 'connecting' | 'following' | 'lost' | 'excluded' | 'closed';
  /** What it says, unproven. Null: nothing so far. */
  readonly reportedHeight: number | null;
  /** Highest that it proved. */
  readonly provenHeight: number | null;
  readonly behind: boolean;
  /** Since the client was opened. */
  readonly faults: number;
  readonly lastFault: NodeFault | null;
  /** Unix time. */
  readonly excludedUntilMs: number | null;
}

/**
 * Two states of one height, two heights out of order, or two records of one epoch, each signed by a quorum: more than a third of the weight
 * signed both.
 */
export interface Conflict {
  /** URLs, of the first and of the second. */
  readonly nodes: readonly [string, string];
  /** As files they are what `slipstream evidence blame` reads. */
  readonly first: HeightCertificates;
  readonly second: HeightCertificates;
  /** Or what is missing to name the culprits. */
  readonly culprits: Blame | BlameRefusal;
}

/** Above a page of 100 handovers of 1,024 members. */
export const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** Above a full state of a committee of 1,024. */
export const MESSAGE_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Heights that are compared with what nodes say; and that are remembered of each node. */
export const HEIGHTS_MAX = 256;
/** Committees of older epochs are forgotten: 56 kB each with 1,024 members. */
export const EPOCHS_MAX = 128;
