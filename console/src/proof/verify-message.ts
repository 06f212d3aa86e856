import type { ProofStep } from '@slipstream/client';

export interface VerifyRequest {
  readonly id: number;
  readonly proof: unknown;
  readonly genesis: unknown;
  readonly transactionId: string;
}

export interface Verification {
  readonly accepted: boolean;
  readonly steps: readonly ProofStep[];
  /** Of the genesis file used; null when the proof was refused. */
  readonly genesisHash: string | null;
  /** Without loading the worker. */
  readonly tookMs: number;
}

export interface VerifyAnswer {
  readonly id: number;
  readonly verification: Verification;
}
