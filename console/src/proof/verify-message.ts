import type { ProofStep, RowProofStep } from '@slipstream/client';
import type { LiveAnswer, LiveRequest } from './live-message.ts';

/** To the worker, and from it. */
export type WorkerRequest = { readonly type: 'proof'; readonly request: VerifyRequest } | LiveRequest;
export type WorkerAnswer = { readonly type: 'proof'; readonly answer: VerifyAnswer } | LiveAnswer;

export interface VerifyRequest {
  readonly id: number;
  /** Of the node that has the handovers. */
  readonly url: string;
  readonly proof: unknown;
  readonly genesis: unknown;
  /** The proof is of a transaction, or of a row of a distilled batch. */
  readonly of: 'transaction' | 'row';
  readonly transactionId: string;
}

export interface Verification {
  readonly accepted: boolean;
  readonly steps: readonly (ProofStep | RowProofStep)[];
  /** Of the genesis file used; null when the proof was refused. */
  readonly genesisHash: string | null;
  /** Without loading the worker. */
  readonly tookMs: number;
}

export interface VerifyAnswer {
  readonly id: number;
  readonly verification: Verification;
}
