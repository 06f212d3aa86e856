/** Runs one transaction on the block's overlay: its fee, and its actions, all or nothing. */
import { assert, concatBytes } from '@slipstream/primitives';
import {
  type AccountKey,
  type Action,
  type FailureCode,
  GRANT_OUTPUT_BYTES_MAX,
  type Outcome,
  type PreparedTransaction,
  RECEIPT_OUTPUT_BYTES_MAX,
  type SkipReason,
  type Transaction,
  type TransactionId,
  UNIT_DIMENSIONS,
  type Units,
  type UnitsOfCalls,
  unitsOf,
} from '@slipstream/types';
import { actionKeys, applyAction } from './actions/index.ts';
import type { CollectAllowance } from './actions/rule.ts';
import { subtractAmounts } from './amount.ts';
import type { Applications } from './applications/applications.ts';
import type { BlockOverlay, TransactionOverlay } from './overlay.ts';
import { allowanceOf, authorizeSession, chargeSession, planSession, type SessionPlan } from './sessions/authorize.ts';
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
  /** Accessed besides those of the plan. */
  readonly otherKeys: readonly StateKey[];
  /** Accounts that calls paid. */
  readonly paid: readonly AccountKey[];
}

/** Constant for a block. */
export interface Terms {
  readonly feeOf: (units: Units) => bigint;
  readonly timestampMs: number;
  readonly height: number;
  readonly applications: Applications;
}

export function planTransaction({ transaction, bytes, id }: PreparedTransaction, unitsOfCall: UnitsOfCalls): Plan {
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
    units: unitsOf(transaction, bytes.length, unitsOfCall),
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

/** @param outputBytesMax what the block has left for outputs */
export function runTransaction(plan: Plan, overlay: BlockOverlay, terms: Terms, outputBytesMax: number): Ran {
  const { feeOf, timestampMs, applications } = terms;
  const { maxFee } = plan.transaction.body;
  if (feeOf(plan.units) > maxFee) return { ok: false, reason: 'max-fee-too-low' };
  const scratch = overlay.begin();
  const numberOfApplication = applications.numberOf;
  const refused =
    plan.session && authorizeSession(plan.session, scratch, { ...plan, timestampMs, numberOfApplication });
  if (refused !== undefined) return { ok: false, reason: refused };
  const rest = subtractAmounts(scratch.balance(plan.sender), maxFee);
  if (rest === undefined) return { ok: false, reason: 'fee-not-covered' };
  scratch.setBalance(plan.sender, rest);
  scratch.keep();

  const allowance = plan.session && allowanceOf(plan.session, scratch, maxFee);
  const { outcome, output, otherKeys, paid } = applyActions(plan, scratch, terms, outputBytesMax, allowance);
  const units = plan.units.slice();
  units[ALLOCATE] = scratch.allocatedBytes();
  assert(
    (units[ALLOCATE] as number) <= (plan.units[ALLOCATE] as number),
    'an action allocates no more than it declares',
  );
  const fee = feeOf(units);
  const { collected = 0n } = allowance ?? {};
  if (plan.session) chargeSession(plan.session, scratch, { fee, collected, succeeded: outcome.status === 'success' });
  const returned = scratch.balance(plan.sender) + maxFee - fee;
  scratch.setBalance(plan.sender, returned);
  scratch.merge();
  return { ok: true, outcome, output, otherKeys, paid, fee, units };
}

function applyActions(
  plan: Plan,
  scratch: TransactionOverlay,
  terms: Terms,
  outputBytesMax: number,
  allowance: CollectAllowance | undefined,
): Applied {
  const { transaction, transactionId, actionKeys: keys } = plan;
  const { sender, genesisHash, actions } = transaction.body;
  const { timestampMs, height, applications } = terms;
  const context = { sender, genesisHash, timestampMs, height, transactionId, applications, allowance };
  const ownMax = plan.grants > 0 ? GRANT_OUTPUT_BYTES_MAX : RECEIPT_OUTPUT_BYTES_MAX;
  let output = NO_OUTPUT;
  let otherKeys = NO_KEYS;
  let paid = NO_PAYEES;
  for (let i = 0; i < actions.length; i++) {
    const applied = applyAction(scratch, actions[i] as Action, keys[i] as readonly StateKey[], context);
    if (applied.paid?.length) paid = [...paid, ...applied.paid];
    if (applied.keys) otherKeys = [...otherKeys, ...applied.keys];
    if (applied.ok && applied.output)
      output = output.length === 0 ? applied.output : concatBytes(output, applied.output);
    const code = applied.ok ? lengthFault(output.length, ownMax, outputBytesMax) : applied.code;
    if (code !== undefined) {
      scratch.undo();
      const text = applied.ok ? undefined : applied.output;
      const fits = text !== undefined && text.length <= outputBytesMax;
      return {
        outcome: { status: 'failed', code, action: i },
        output: fits ? text : NO_OUTPUT,
        otherKeys,
        paid: NO_PAYEES,
      };
    }
  }
  scratch.keep();
  return { outcome: SUCCESS, output, otherKeys, paid };
}

function lengthFault(length: number, ownMax: number, blockMax: number): FailureCode | undefined {
  if (length > ownMax) return 'output-too-long';
  return length > blockMax ? 'block-output-full' : undefined;
}

const NO_KEYS: readonly StateKey[] = [];
const NO_PAYEES: readonly AccountKey[] = [];
const SUCCESS: Outcome = { status: 'success' };
const NO_OUTPUT: Uint8Array = new Uint8Array(0);
