import type { ProofStep } from '@slipstream/client';

export interface VerifyRequest {
  readonly id: number;
  readonly proof: unknown;
  readonly genesis: unknown;
  /** The transaction that the proof must be of. */
  readonly transactionId: string;
}

export interface Verification {
  readonly accepted: boolean;
  readonly steps: readonly ProofStep[];
  /** Hash of the genesis file used for the verification; null when the proof was refused. */
  readonly genesisHash: string | null;
  /** In the worker, without loading it. */
  readonly tookMs: number;
}

export interface VerifyAnswer {
  readonly id: number;
  readonly verification: Verification;
}
