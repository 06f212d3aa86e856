/**
 * Whether a session may carry out a transaction, by the block's time and the state: the same on every node.
 *
 *   credential   unexpired grant and committee certificate --> its record, or a new one --+
 *   grant id     record --> acts here, session key, account, scope, unexpired ------------+--> not revoked --> within the limit
 *
 * Checks of the bytes alone (issuer, path, signatures, a credential's scope) were made on arrival.
 */
import { bytesEqual } from '@slipstream/primitives';
import {
  type AccountKey,
  accountOfCredential,
  committeeHashOfCredential,
  grantIdOf,
  isInScope,
  type SessionAuth,
  type SessionHashAuth,
  type SessionRecord,
  type SkipReason,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';
import { actionSpends } from '../actions/index.ts';
import type { Entries, Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import { holdsAt, type IssuerCommittees, issuerStateKey, readIssuer } from './issuers.ts';
import { decodeSession, encodeSession, sessionStateKey, spentOfSession, withSpent } from './record.ts';

/** A transaction's session, by its bytes alone. */
export interface SessionPlan {
  readonly auth: SessionAuth | SessionHashAuth;
  readonly key: StateKey;
  /** Of a credential of another chain: the committees of its issuer. */
  readonly issuer: StateKey | undefined;
  /** Amount that leaves the account. */
  readonly spends: bigint;
}

export function planSession({ body, auth }: Transaction): SessionPlan | undefined {
  if (auth.scheme === 'ed25519') return undefined;
  const id = auth.scheme === 'session' ? grantIdOf(auth.credential.grant) : auth.grantId;
  const spends = body.actions.reduce((sum, action) => sum + actionSpends(action), 0n);
  return { auth, key: sessionStateKey(id), issuer: issuerOf(auth), spends };
}

function issuerOf(auth: SessionAuth | SessionHashAuth): StateKey | undefined {
  if (auth.scheme !== 'session' || auth.credential.root === undefined) return undefined;
  return issuerStateKey(auth.credential.root.key, auth.credential.grant.issuer);
}

interface SessionUse {
  readonly transaction: Transaction;
  readonly transactionId: TransactionId;
  /** Of the block. */
  readonly timestampMs: number;
}

/** Undefined when allowed; the record is then in the scratch. Writes nothing otherwise. */
export function authorizeSession(plan: SessionPlan, scratch: Entries, use: SessionUse): SkipReason | undefined {
  const { auth, key, spends } = plan;
  const value = scratch.get(key);
  const known = value && decodeSession(value);
  const committees = plan.issuer && readIssuer(scratch, plan.issuer);
  const found =
    auth.scheme === 'session'
      ? (committeeRefusal(auth, committees, use) ?? byCredential(auth, known, use))
      : (byRecord(auth, known, use) ?? (known as SessionRecord));
  if (typeof found === 'string') return found;
  if (found.revoked) return 'session-revoked';
  if (found.spent + use.transaction.body.maxFee + spends > found.limit) return 'session-spend-limit';
  if (known === undefined) scratch.set(key, encodeSession(found));
  return undefined;
}

function committeeRefusal(
  { credential }: SessionAuth,
  committees: IssuerCommittees | undefined,
  { timestampMs }: SessionUse,
): SkipReason | undefined {
  const { grant, root } = credential;
  if (grant.expiryMs <= timestampMs) return 'session-expired';
  if (root === undefined) return undefined;
  const isCertified = root.expiryMs > timestampMs;
  if (committees === undefined) return isCertified ? undefined : 'session-committee-expired';
  if (root.expiryMs > 0 && !isCertified) return 'session-committee-expired';
  const committee = committeeHashOfCredential(credential);
  const holds = committee !== undefined && holdsAt(committees, committee, timestampMs);
  return holds ? undefined : 'session-committee-expired';
}

function byCredential(
  { credential }: SessionAuth,
  known: SessionRecord | undefined,
  { transaction, transactionId }: SessionUse,
): SessionRecord | SkipReason {
  const { grant, root } = credential;
  // Checked with the credential already; here so that admission, which runs earlier, gives the same reason.
  if (transaction.body.actions.some(({ kind }) => !isInScope(grant.scope, kind))) return 'session-out-of-scope';
  if (known !== undefined) return known;
  // A grant of this chain has had a record since its creation.
  if (root === undefined) return 'session-unknown';
  const account = accountOfCredential(credential);
  const { sessionKey, scope, spendLimit: limit, expiryMs } = grant;
  const fresh = { spent: 0n, revoked: false, actsHere: true, transactionId };
  return { owner: transaction.body.sender, account, sessionKey, scope, limit, expiryMs, ...fresh };
}

function byRecord(
  { sessionKey }: SessionHashAuth,
  known: SessionRecord | undefined,
  { timestampMs, transaction: { body } }: SessionUse,
): SkipReason | undefined {
  if (known === undefined) return 'session-unknown';
  if (!known.actsHere) return 'session-foreign-chain';
  if (!bytesEqual(known.sessionKey, sessionKey)) return 'session-wrong-key';
  if (!sameAccount(known.account, body.sender)) return 'session-wrong-account';
  if (body.actions.some(({ kind }) => !isInScope(known.scope, kind))) return 'session-out-of-scope';
  return known.expiryMs <= timestampMs ? 'session-expired' : undefined;
}

function sameAccount(a: AccountKey, b: AccountKey): boolean {
  return a.scheme === b.scheme && bytesEqual(a.bytes, b.bytes);
}

/** Call after the actions: charges the fee, and the amounts if the actions succeeded. */
export function chargeSession({ key, spends }: SessionPlan, scratch: Scratch, fee: bigint, succeeded: boolean): void {
  const value = scratch.get(key) as Uint8Array;
  scratch.set(key, withSpent(value, spentOfSession(value) + fee + (succeeded ? spends : 0n)));
}
