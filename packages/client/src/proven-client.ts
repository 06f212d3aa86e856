/** Reads that count with a proof alone (proven-reads.ts). */
import type { Receipt } from '@slipstream/types';
import type { CallOptions } from './call-options.ts';
import type { ProvenAccount, ProvenData, ProvenSession } from './proven-values.ts';
import type { ProofStep } from './verify-proof.ts';
import type { VerifiedState } from './verify-state-proof.ts';

export interface ProvenOptions extends CallOptions {
  /** The answer counts with a proof alone. Throws ClientError `unproven`. */
  readonly proven: true;
}

export interface UnprovenOptions extends CallOptions {
  readonly proven?: false;
}

interface ProvenReceipt {
  readonly receipt: Receipt;
  readonly steps: readonly ProofStep[];
}

export interface ProvenClient {
  /** The node's answer must agree with its proof. */
  account(account: string, options?: CallOptions): Promise<ProvenAccount>;
  accountData(account: string, name: string, options?: CallOptions): Promise<ProvenData>;
  session(id: string, options?: CallOptions): Promise<ProvenSession>;
  /** Up to 64 keys, of one height. */
  state(keys: readonly Uint8Array[], options?: CallOptions): Promise<VerifiedState>;
  /** Of a transaction, verified. A client's application reads its events (`eventsIn`). */
  receipt(transactionId: string, options?: CallOptions): Promise<ProvenReceipt>;
  /** Highest that a proof was of; 0: none so far. */
  height(): number;
}
