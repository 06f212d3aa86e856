/** Between the page and the light client in its worker. */
import type { NodeFault } from '@slipstream/client/light';
import type { EvidenceView } from '@slipstream/schema';

/** Of the certificates of one height. */
export interface HeightVerdict {
  readonly height: number;
  /** Of the certified block; null: they do not hold. */
  readonly blockId: string | null;
  /** What does not hold. */
  readonly fault: string | null;
  /** Whether a finalization was there; the state certificate alone says that the block is final. */
  readonly finalization: boolean;
  /** Of the check, without the requests. */
  readonly tookMs: number;
}

export interface LiveCounters {
  /** Certificates. */
  readonly verified: number;
  /** Heights with one that does not hold. */
  readonly refused: number;
  /** Heights that came faster than the budget allows, or of which the node gave no certificates. */
  readonly passedOver: number;
  /** Share of a core, over the checks so far. */
  readonly busyShare: number;
}

interface EvidenceVerdict {
  readonly id: number;
  /** Null: both messages are of the validator, and contradict each other. */
  readonly fault: string | null;
}

export type LiveRequest =
  /** `genesisHash`: of the chain, as the node says: the node of a development network may begin another. */
  | { readonly type: 'follow'; readonly url: string; readonly genesisHash: string }
  | { readonly type: 'evidence'; readonly id: number; readonly url: string; readonly item: EvidenceView };

/** Of which node, with which genesis file: answers of one that is no longer selected may still come. */
interface Followed {
  readonly url: string;
  readonly genesisHash: string;
}

export type LiveAnswer =
  | ({ readonly type: 'height'; readonly verdict: HeightVerdict; readonly counters: LiveCounters } & Followed)
  /** What the node did against the light client: it is asked for heights again at `untilMs`, Unix time. */
  | ({ readonly type: 'fault'; readonly fault: NodeFault; readonly untilMs: number | null } & Followed)
  | { readonly type: 'evidence'; readonly verdict: EvidenceVerdict };
