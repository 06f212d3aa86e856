/** One transaction on the block's overlay: its fee, and its actions, all or nothing. */
import { assert, concatBytes } from '@slipstream/primitives';
import {
  feeOf,
  type Outcome,
  type PreparedTransaction,
  RECEIPT_OUTPUT_BYTES_MAX,
  type SkipReason,
  type Transaction,
  type TransactionId,
  UNIT_DIMENSIONS,
  type Units,
  unitsOf,
} from '@slipstream/types';
import { actionKeys, applyAction } from './actions/index.ts';
import { subtractAmounts } from './amount.ts';
import type { BlockOverlay, TransactionOverlay } from './overlay.ts';
import { authorizeSession, chargeSession, planSession, type SessionPlan } from './sessions/authorize.ts';
import { accountStateKey, type StateKey } from './state-keys.ts';

/** What is charged for what a transaction really added, not for its bound. */
const ALLOCATE = UNIT_DIMENSIONS.indexOf('allocate');

/** A transaction with everything that is known before it runs. */
export interface Plan {
  readonly transaction: Transaction;
  readonly transactionId: TransactionId;
  readonly sender: StateKey;
  /** By action: the keys that it declares. */
  readonly actionKeys: readonly (readonly StateKey[])[];
  /** All of them, the sender's first. */
  readonly keys: readonly StateKey[];
  readonly units: Units;
  /** Undefined when the sender signs himself. */
  readonly session: SessionPlan | undefined;
  /** Sessions that it grants if it succeeds. */
  readonly grants: number;
}

export type Ran =
  | ({ readonly ok: true; readonly fee: bigint; readonly units: Units } & Applied)
  | { readonly ok: false; readonly reason: SkipReason };

interface Applied {
  readonly outcome: Outcome;
  readonly output: Uint8Array;
}

export function planTransaction({ transaction, bytes, id }: PreparedTransaction): Plan {
  assert(transaction !== undefined, 'what is malformed was skipped');
  const { sender, actions, genesisHash } = transaction.body;
  const senderKey = accountStateKey(sender);
  const owner = { account: sender, key: senderKey, genesisHash };
  const session = planSession(transaction);
  const keys = session ? [senderKey, session.key] : [senderKey];
  const declared: (readonly StateKey[])[] = [];
  for (const action of actions) {
    const own = actionKeys(owner, action);
    declared.push(own);
    for (const key of own) if (key !== senderKey) keys.push(key);
  }
  return {
    transaction,
    transactionId: id,
    sender: senderKey,
    actionKeys: declared,
    keys,
    units: unitsOf(transaction, bytes.length),
    session,
    grants: actions.reduce((sum, { kind }) => sum + (kind === 'grantSession' ? 1 : 0), 0),
  };
}

/** `timestampMs` and `prices` are the block's. */
export function runTransaction(
  plan: Plan,
  overlay: BlockOverlay,
  { prices, timestampMs }: { readonly prices: readonly bigint[]; readonly timestampMs: number },
): Ran {
  const { maxFee } = plan.transaction.body;
  if (feeOf(plan.units, prices) > maxFee) return { ok: false, reason: 'max-fee-too-low' };
  const scratch = overlay.begin();
  const refused = plan.session && authorizeSession(plan.session, scratch, { ...plan, timestampMs });
  if (refused !== undefined) return { ok: false, reason: refused };
  const rest = subtractAmounts(scratch.balance(plan.sender), maxFee);
  if (rest === undefined) return { ok: false, reason: 'fee-not-covered' };
  scratch.setBalance(plan.sender, rest);
  scratch.keep();

  const applied = applyActions(plan, scratch, timestampMs);
  const units = plan.units.slice();
  units[ALLOCATE] = scratch.allocatedBytes();
  assert(
    (units[ALLOCATE] as number) <= (plan.units[ALLOCATE] as number),
    'an action allocates no more than it declares',
  );
  const fee = feeOf(units, prices);
  if (plan.session) chargeSession(plan.session, scratch, fee, applied.outcome.status === 'success');
  const returned = scratch.balance(plan.sender) + maxFee - fee;
  scratch.setBalance(plan.sender, returned);
  scratch.merge();
  return { ok: true, ...applied, fee, units };
}

function applyActions(plan: Plan, scratch: TransactionOverlay, timestampMs: number): Applied {
  const { transaction, transactionId, actionKeys: keys } = plan;
  const { sender, genesisHash, actions } = transaction.body;
  const context = { sender, genesisHash, timestampMs, transactionId };
  let output = NO_OUTPUT;
  for (const [i, action] of actions.entries()) {
    const applied = applyAction(scratch, action, keys[i] as readonly StateKey[], context);
    const code = applied.ok ? undefined : applied.code;
    if (applied.ok && applied.output) output = concatBytes(output, applied.output);
    const failure = code ?? (output.length > RECEIPT_OUTPUT_BYTES_MAX ? 'output-too-long' : undefined);
    if (failure !== undefined) {
      scratch.undo();
      return { outcome: { status: 'failed', code: failure, action: i }, output: NO_OUTPUT };
    }
  }
  scratch.keep();
  return { outcome: { status: 'success' }, output };
}

const NO_OUTPUT: Uint8Array = new Uint8Array(0);
