/** Runs one transaction on the block's overlay: its fee, and its actions, all or nothing. */
import { assert, concatBytes } from '@slipstream/primitives';
import {
  type Action,
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

/** The dimension that is charged by actual use, not by its bound. */
const ALLOCATE = UNIT_DIMENSIONS.indexOf('allocate');

/** A transaction, with all that is known before it runs. */
export interface Plan {
  readonly transaction: Transaction;
  readonly transactionId: TransactionId;
  readonly sender: StateKey;
  /** Declared keys by action. */
  readonly actionKeys: readonly (readonly StateKey[])[];
  /** All declared keys, the sender's first. */
  readonly keys: readonly StateKey[];
  readonly units: Units;
  /** Undefined when the sender's own key signs. */
  readonly session: SessionPlan | undefined;
  /** Number of sessions that it grants on success. */
  readonly grants: number;
}

type Ran =
  | ({ readonly ok: true; readonly fee: bigint; readonly units: Units } & Applied)
  | { readonly ok: false; readonly reason: SkipReason };

interface Applied {
  readonly outcome: Outcome;
  readonly output: Uint8Array;
}

/** Constant for a block. */
export interface Terms {
  readonly feeOf: (units: Units) => bigint;
  readonly timestampMs: number;
  readonly height: number;
}

export function planTransaction({ transaction, bytes, id }: PreparedTransaction): Plan {
  assert(transaction !== undefined, 'what is malformed was skipped');
  const { sender, actions, genesisHash } = transaction.body;
  const senderKey = accountStateKey(sender);
  const owner = { account: sender, key: senderKey, genesisHash };
  const session = planSession(transaction);
  const declared = actions.map((action) => actionKeys(owner, action));
  let grants = 0;
  for (const { kind } of actions) if (kind === 'grantSession') grants += 1;
  return {
    transaction,
    transactionId: id,
    sender: senderKey,
    actionKeys: declared,
    keys: allKeys(senderKey, session, declared),
    units: unitsOf(transaction, bytes.length),
    session,
    grants,
  };
}

function allKeys(
  sender: StateKey,
  session: SessionPlan | undefined,
  declared: readonly (readonly StateKey[])[],
): readonly StateKey[] {
  const [only] = declared;
  if (session === undefined && declared.length === 1 && only?.[0] === sender) return only;
  const keys = session ? [sender, session.key] : [sender];
  if (session?.issuer !== undefined) keys.push(session.issuer);
  for (const own of declared) for (const key of own) if (key !== sender) keys.push(key);
  return keys;
}

export function runTransaction(plan: Plan, overlay: BlockOverlay, terms: Terms): Ran {
  const { feeOf, timestampMs } = terms;
  const { maxFee } = plan.transaction.body;
  if (feeOf(plan.units) > maxFee) return { ok: false, reason: 'max-fee-too-low' };
  const scratch = overlay.begin();
  const refused = plan.session && authorizeSession(plan.session, scratch, { ...plan, timestampMs });
  if (refused !== undefined) return { ok: false, reason: refused };
  const rest = subtractAmounts(scratch.balance(plan.sender), maxFee);
  if (rest === undefined) return { ok: false, reason: 'fee-not-covered' };
  scratch.setBalance(plan.sender, rest);
  scratch.keep();

  const { outcome, output } = applyActions(plan, scratch, terms);
  const units = plan.units.slice();
  units[ALLOCATE] = scratch.allocatedBytes();
  assert(
    (units[ALLOCATE] as number) <= (plan.units[ALLOCATE] as number),
    'an action allocates no more than it declares',
  );
  const fee = feeOf(units);
  if (plan.session) chargeSession(plan.session, scratch, fee, outcome.status === 'success');
  const returned = scratch.balance(plan.sender) + maxFee - fee;
  scratch.setBalance(plan.sender, returned);
  scratch.merge();
  return { ok: true, outcome, output, fee, units };
}

function applyActions(plan: Plan, scratch: TransactionOverlay, { timestampMs, height }: Terms): Applied {
  const { transaction, transactionId, actionKeys: keys } = plan;
  const { sender, genesisHash, actions } = transaction.body;
  const context = { sender, genesisHash, timestampMs, height, transactionId };
  let output = NO_OUTPUT;
  for (let i = 0; i < actions.length; i++) {
    const applied = applyAction(scratch, actions[i] as Action, keys[i] as readonly StateKey[], context);
    const code = applied.ok ? undefined : applied.code;
    if (applied.ok && applied.output) output = concatBytes(output, applied.output);
    const failure = code ?? (output.length > RECEIPT_OUTPUT_BYTES_MAX ? 'output-too-long' : undefined);
    if (failure !== undefined) {
      scratch.undo();
      return { outcome: { status: 'failed', code: failure, action: i }, output: NO_OUTPUT };
    }
  }
  scratch.keep();
  return { outcome: SUCCESS, output };
}

const SUCCESS: Outcome = { status: 'success' };
const NO_OUTPUT: Uint8Array = new Uint8Array(0);
