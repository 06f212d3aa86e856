/** Between the page and the worker that verifies what the stream says. */
import type { EvidenceView } from '@slipstream/schema';

export interface BlockToVerify {
  readonly height: number;
  readonly blockId: string;
}

/** `missing`: this node has none. Text: what does not hold. */
export type CertificateVerdict = 'verified' | 'missing' | { readonly fault: string };

export interface BlockVerdict extends BlockToVerify {
  readonly finalization: CertificateVerdict;
  readonly state: CertificateVerdict;
  /** Of the checks, without the requests. */
  readonly tookMs: number;
}

export interface LiveCounters {
  readonly verified: number;
  readonly refused: number;
  /** Blocks that came faster than the budget allows, or of which the node gave no certificates. */
  readonly passedOver: number;
  readonly waiting: number;
  /** Share of a core, over the checks so far. */
  readonly busyShare: number;
}

interface EvidenceVerdict {
  readonly id: number;
  /** Null: both messages are of the validator, and contradict each other. */
  readonly fault: string | null;
}

export type LiveRequest =
  | { readonly type: 'follow'; readonly url: string }
  | { readonly type: 'blocks'; readonly blocks: readonly BlockToVerify[] }
  | { readonly type: 'evidence'; readonly id: number; readonly item: EvidenceView };

export type LiveAnswer =
  | {
      readonly type: 'block';
      readonly verdict: BlockVerdict;
      readonly counters: LiveCounters;
      readonly genesisHash: string;
    }
  | { readonly type: 'counters'; readonly counters: LiveCounters }
  | { readonly type: 'evidence'; readonly verdict: EvidenceVerdict };
