/** An action's rule: its keys, and its change of the state. */
import type { AccountKey, Action, Call, FailureCode, GenesisHash, TransactionId } from '@slipstream/types';
import type { Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';

export type Applied = {
  /** Accessed beyond those of `keys`. */
  readonly keys?: readonly StateKey[];
  /** Goes into the receipt; of a failure alone. */
  readonly output?: Uint8Array;
  /** Accounts that got coins of an application's purses. */
  readonly paid?: readonly AccountKey[];
} & ({ readonly ok: true } | { readonly ok: false; readonly code: FailureCode });

export const APPLIED: Applied = { ok: true };

export interface Sender {
  readonly account: AccountKey;
  /** Its balance. */
  readonly key: StateKey;
  readonly genesisHash: GenesisHash;
}

/** Of a session's transaction: coins that its calls may move out of the account. */
export interface CollectAllowance {
  readonly most: bigint;
  collected: bigint;
  /** The largest sum that a call came to, or would have, had its sender had the coins. */
  asked: bigint;
}

export interface CallerContext {
  readonly sender: AccountKey;
  readonly genesisHash: GenesisHash;
  /** Of the block. */
  readonly timestampMs: number;
  readonly height: number;
  readonly transactionId: TransactionId;
  /** Undefined: the sender signed. */
  readonly allowance: CollectAllowance | undefined;
}

/** Runs calls (applications/applications.ts). */
export interface CallRunner {
  call(scratch: Scratch, call: Call, context: CallerContext): Applied;
}

export interface ActionContext extends CallerContext {
  readonly applications: CallRunner & {
    /** Number of applications of the chain. */
    readonly count: number;
  };
}

export interface ActionRule<A extends Action> {
  /**
   * Every key that `apply` may access. `apply` receives them in this order. So two transactions without a common key are independent. Those of
   * governance all declare the queue of changes, and access the other entries of epochs (epochs/keys.ts) without declaring them; so do
   * registrations with the head of the directory (directory/keys.ts). A call names its keys as it is applied.
   */
  keys(sender: Sender, action: A): readonly StateKey[];
  /** On a failure the executor undoes every action of the transaction. */
  apply(scratch: Scratch, action: A, keys: readonly StateKey[], context: ActionContext): Applied;
  /** Amount that leaves the sender's account on success; 0 when missing. */
  spends?(action: A): bigint;
}
