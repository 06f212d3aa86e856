/** One transaction on the block's overlay: its fee, and its actions, all or nothing. */
import { assert } from '@slipstream/primitives';
import type { Outcome, PreparedTransaction, SkipReason, Transaction, Units } from '@slipstream/types';
import { actionKeys, applyAction } from './actions/index.ts';
import { subtractAmounts } from './amount.ts';
import { feeOf } from './fees.ts';
import type { BlockOverlay, TransactionOverlay } from './overlay.ts';
import { accountStateKey, decodeBalance, encodeBalance, type StateKey } from './state-keys.ts';
import { ALLOCATE, unitsOf } from './units.ts';

/** A transaction with everything that is known before it runs. */
export interface Plan {
  readonly transaction: Transaction;
  readonly sender: StateKey;
  /** By action: the keys that it declares. */
  readonly actionKeys: readonly (readonly StateKey[])[];
  /** All of them, the sender's first. */
  readonly keys: readonly StateKey[];
  readonly units: Units;
}

export type Ran =
  | { readonly ok: true; readonly outcome: Outcome; readonly fee: bigint; readonly units: Units }
  | { readonly ok: false; readonly reason: Extract<SkipReason, 'fee-not-covered' | 'max-fee-too-low'> };

export function planTransaction({ transaction, bytes }: PreparedTransaction): Plan {
  assert(transaction !== undefined, 'what is malformed was skipped');
  const { sender, actions } = transaction.body;
  const senderKey = accountStateKey(sender);
  const declared = actions.map((action) => actionKeys({ account: sender, key: senderKey }, action));
  return {
    transaction,
    sender: senderKey,
    actionKeys: declared,
    keys: [senderKey, ...declared.flat()],
    units: unitsOf(transaction, bytes.length),
  };
}

export function runTransaction(plan: Plan, overlay: BlockOverlay, prices: readonly bigint[]): Ran {
  const { maxFee } = plan.transaction.body;
  if (feeOf(plan.units, prices) > maxFee) return { ok: false, reason: 'max-fee-too-low' };
  const scratch = overlay.begin();
  const rest = subtractAmounts(decodeBalance(scratch.get(plan.sender)), maxFee);
  if (rest === undefined) return { ok: false, reason: 'fee-not-covered' };
  scratch.set(plan.sender, encodeBalance(rest));
  scratch.keep();

  const outcome = applyActions(plan, scratch);
  const units = plan.units.map((bound, i) => (i === ALLOCATE ? scratch.allocatedBytes() : bound));
  assert(
    (units[ALLOCATE] as number) <= (plan.units[ALLOCATE] as number),
    'an action allocates no more than it declares',
  );
  const fee = feeOf(units, prices);
  const returned = decodeBalance(scratch.get(plan.sender)) + maxFee - fee;
  scratch.set(plan.sender, encodeBalance(returned));
  scratch.merge();
  return { ok: true, outcome, fee, units };
}

function applyActions({ transaction, actionKeys: keys }: Plan, scratch: TransactionOverlay): Outcome {
  for (const [i, action] of transaction.body.actions.entries()) {
    const applied = applyAction(scratch, action, keys[i] as readonly StateKey[]);
    if (!applied.ok) {
      scratch.undo();
      return { status: 'failed', code: applied.code, action: i };
    }
  }
  scratch.keep();
  return { status: 'success' };
}
