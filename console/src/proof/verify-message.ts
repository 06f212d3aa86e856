import type { ProofStep, RowProofStep } from '@slipstream/client';
import type { BlockStep } from '@slipstream/client/light';
import type { BlockView, TransactionView } from '@slipstream/schema';
import type { LiveAnswer, LiveRequest } from './live-message.ts';

/** To the worker, and from it. */
export type WorkerRequest = { readonly type: 'verify'; readonly request: VerifyRequest } | LiveRequest;
export type WorkerAnswer = { readonly type: 'verified'; readonly answer: VerifyAnswer } | LiveAnswer;

/** What the page shows, to be verified. */
export type Question =
  | {
      readonly kind: 'transaction' | 'row';
      readonly id: string;
      /** As shown; the node is asked for a proof that is not in it. */
      readonly shown: Partial<TransactionView>;
    }
  /** One at least, ascending, each the parent of the next. */
  | { readonly kind: 'blocks'; readonly shown: readonly BlockView[] };

export interface VerifyRequest {
  readonly id: number;
  readonly url: string;
  readonly question: Question;
  /** Changes one bit of the proof, to show that it is refused. */
  readonly flip: boolean;
}

export type Outcome =
  | 'verified'
  | 'refused'
  /** The chain has not certified it so far. */
  | 'not-yet'
  /** No answer, no proof any more, or of an epoch whose committee is not known. */
  | 'not-checked';

export interface Verification {
  readonly outcome: Outcome;
  readonly steps: readonly (ProofStep | RowProofStep | BlockStep)[];
  /** Why it is not verified: what does not hold, or is missing. */
  readonly reason: string | null;
  /** Whose certificate covers it; null unless verified. */
  readonly certified: Certified | null;
  /** Of the genesis file used; null unless verified. */
  readonly genesisHash: string | null;
  /** The changed bit of the proof. */
  readonly flipped: number | null;
  /** Of the check, without requests and loading the worker. */
  readonly tookMs: number;
  /** Unix time. */
  readonly atMs: number;
}

export interface Certified {
  readonly height: number;
  readonly epoch: number;
}

interface VerifyAnswer {
  readonly id: number;
  readonly verification: Verification;
}
