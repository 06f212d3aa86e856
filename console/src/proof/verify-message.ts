import type { ProofStep, RowProofStep, StateProofStep, sessionJson } from '@slipstream/client';
import type { BlockStep } from '@slipstream/client/light';
import type { AccountView, BlockView, TransactionView } from '@slipstream/schema';
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
  | { readonly kind: 'blocks'; readonly shown: readonly BlockView[] }
  /** The answer with its proof, if the node gave one. */
  | { readonly kind: 'account'; readonly account: string; readonly shown: AccountView }
  /** The node is asked for a proof, which alone says what there is. */
  | { readonly kind: 'state'; readonly of: StateName };

export type StateName =
  | { readonly type: 'data'; readonly account: string; readonly name: string }
  | { readonly type: 'session'; readonly id: string }
  /** Which applications the chain runs. */
  | { readonly type: 'applications' }
  /** Of an application's table; the key in the table's encoding. */
  | { readonly type: 'entry'; readonly application: number; readonly table: number; readonly key: Uint8Array };

/** What a proof shows; null: that there is none. */
export type ProvenEntry =
  | { readonly kind: 'data'; readonly value: string | null }
  /** As it is stored, in the state of this height. */
  | { readonly kind: 'entry'; readonly value: Uint8Array | null; readonly height: number }
  | {
      readonly kind: 'session';
      readonly session: (ReturnType<typeof sessionJson> & { readonly revoked: boolean }) | null;
    };

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
  /** It holds, of a state far below the newest proven height. */
  | 'old'
  /** The chain has not certified it so far. */
  | 'not-yet'
  /** No answer, no proof any more, or of an epoch whose committee is not known. */
  | 'not-checked';

export interface Verification {
  readonly outcome: Outcome;
  readonly steps: readonly (ProofStep | RowProofStep | BlockStep | StateProofStep)[];
  /** Why it is not verified: what does not hold, is missing, or is old. */
  readonly reason: string | null;
  /** Whose certificate covers it; null unless it holds. */
  readonly certified: Certified | null;
  /** Of the genesis file used; null unless it holds. */
  readonly genesisHash: string | null;
  /** What the proof shows of data or of a session. */
  readonly entry: ProvenEntry | null;
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
