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
  type Action,
  accountOfCredential,
  type Credential,
  committeeHashOfCredential,
  grantIdOf,
  isCallInScope,
  isInScope,
  type SessionAuth,
  type SessionHashAuth,
  type SkipReason,
  type Transaction,
  type TransactionId,
} from '@slipstream/types';
import { actionSpends } from '../actions/index.ts';
import type { CollectAllowance } from '../actions/rule.ts';
import type { Entries, Scratch } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';
import { holdsAt, type IssuerCommittees, issuerStateKey, readIssuer } from './issuers.ts';
import { decodeSession, encodeSession, sessionStateKey, spentOfSession, termsOfSession, withSpent } from './record.ts';

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
  const spends = body.actions.reduce((sum, action) => sum + actionSpends(action), 0n);
  return { auth, ...keysOf(auth), spends };
}

type SessionKeys = Pick<SessionPlan, 'key' | 'issuer'>;

/** Saves two hashes at every use. */
const keysOfCredentials = new WeakMap<Credential, SessionKeys>();

function keysOf(auth: SessionAuth | SessionHashAuth): SessionKeys {
  if (auth.scheme !== 'session') return { key: sessionStateKey(auth.grantId), issuer: undefined };
  const { credential } = auth;
  const known = keysOfCredentials.get(credential);
  if (known !== undefined) return known;
  const { grant, root } = credential;
  const issuer = root && issuerStateKey(root.key, grant.issuer);
  const keys = { key: sessionStateKey(grantIdOf(grant)), issuer };
  keysOfCredentials.set(credential, keys);
  return keys;
}

interface SessionUse {
  readonly transaction: Transaction;
  readonly transactionId: TransactionId;
  /** Of the block. */
  readonly timestampMs: number;
  readonly numberOfApplication: NumberOfApplication;
}

/** In genesis. Undefined: the chain has none of this name. */
export type NumberOfApplication = (name: string) => number | undefined;

/** Undefined when allowed; the record is then in the scratch. Writes nothing otherwise. */
export function authorizeSession(plan: SessionPlan, scratch: Entries, use: SessionUse): SkipReason | undefined {
  const { auth, key, spends } = plan;
  const value = scratch.get(key);
  const committees = plan.issuer && readIssuer(scratch, plan.issuer);
  const refused =
    auth.scheme === 'session' ? credentialRefusal(auth, committees, use) : recordRefusal(auth, value, use);
  if (refused !== undefined) return refused;
  const found = value ?? newRecord((auth as SessionAuth).credential, use);
  // A grant of this chain has had a record since its creation.
  if (found === undefined) return 'session-unknown';
  const { revoked, spent, limit } = termsOfSession(found);
  if (revoked) return 'session-revoked';
  if (spent + use.transaction.body.maxFee + spends > limit) return 'session-spend-limit';
  if (value === undefined) scratch.set(key, found);
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

function credentialRefusal(
  auth: SessionAuth,
  committees: IssuerCommittees | undefined,
  use: SessionUse,
): SkipReason | undefined {
  const refused = committeeRefusal(auth, committees, use);
  if (refused !== undefined) return refused;
  // Checked with the credential but for the application of a call; here so that admission, which runs earlier, gives the same reason.
  const { scope } = auth.credential.grant;
  return isWithin(scope, use) ? undefined : 'session-out-of-scope';
}

function newRecord(credential: Credential, { transaction, transactionId }: SessionUse): Uint8Array | undefined {
  if (credential.root === undefined) return undefined;
  const account = accountOfCredential(credential);
  const { sessionKey, scope, spendLimit: limit, expiryMs } = credential.grant;
  const owner = transaction.body.sender;
  const fresh = { spent: 0n, revoked: false, actsHere: true, transactionId };
  return encodeSession({ owner, account, sessionKey, scope, limit, expiryMs, ...fresh });
}

function recordRefusal(
  { sessionKey }: SessionHashAuth,
  value: Uint8Array | undefined,
  use: SessionUse,
): SkipReason | undefined {
  if (value === undefined) return 'session-unknown';
  const known = decodeSession(value);
  if (!known.actsHere) return 'session-foreign-chain';
  if (!bytesEqual(known.sessionKey, sessionKey)) return 'session-wrong-key';
  if (!sameAccount(known.account, use.transaction.body.sender)) return 'session-wrong-account';
  if (!isWithin(known.scope, use)) return 'session-out-of-scope';
  return known.expiryMs <= use.timestampMs ? 'session-expired' : undefined;
}

function isWithin(scope: number, { transaction: { body }, numberOfApplication }: SessionUse): boolean {
  return body.actions.every((action: Action) =>
    action.kind === 'call'
      ? isCallInScope(scope, numberOfApplication(action.application))
      : isInScope(scope, action.kind),
  );
}

function sameAccount(a: AccountKey, b: AccountKey): boolean {
  return a.scheme === b.scheme && bytesEqual(a.bytes, b.bytes);
}

/** What calls of an authorized transaction may still collect, beside its fee and the amounts of other actions. */
export function allowanceOf({ key, spends }: SessionPlan, scratch: Entries, maxFee: bigint): CollectAllowance {
  const { limit, spent } = termsOfSession(scratch.get(key) as Uint8Array);
  return { most: limit - spent - maxFee - spends, collected: 0n, asked: 0n };
}

interface Charge {
  readonly fee: bigint;
  /** By calls. */
  readonly collected: bigint;
  readonly succeeded: boolean;
}

/** Call after the actions: charges the fee, and the amounts if the actions succeeded. */
export function chargeSession(
  { key, spends }: SessionPlan,
  scratch: Scratch,
  { fee, collected, succeeded }: Charge,
): void {
  const value = scratch.get(key) as Uint8Array;
  scratch.set(key, withSpent(value, spentOfSession(value) + fee + (succeeded ? spends + collected : 0n)));
}
