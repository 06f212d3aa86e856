/**
 * Session records, under 'g' || grant id (packages/types/src/session/session-record.ts has the layout).
 *
 * The issuing chain writes one with grantSession, another chain at a credential's first use. Later transactions carry the grant's id
 * alone, and no committee signature is checked again.
 */
import {
  accountKeyBytes,
  type GrantId,
  isSessionRecord,
  readSessionRecord,
  SESSION_FLAGS,
  SESSION_RECORD_BYTES,
  SESSION_RECORD_PLACES,
  type SessionRecord,
  STATE_KINDS,
  stateKeyOfSession,
} from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import { type ReadState, type StateKey, stateKey } from '../state-keys.ts';

export const SESSION: number = STATE_KINDS.session;
const { revoked: REVOKED, actsHere: ACTS_HERE } = SESSION_FLAGS;
const AT = SESSION_RECORD_PLACES;

export function sessionStateKey(id: GrantId): StateKey {
  return stateKey(stateKeyOfSession(id));
}

export function encodeSession(record: SessionRecord): Uint8Array {
  const value = new Uint8Array(SESSION_RECORD_BYTES);
  const view = new DataView(value.buffer);
  value[0] = (record.revoked ? REVOKED : 0) | (record.actsHere ? ACTS_HERE : 0);
  value.set(accountKeyBytes(record.owner), AT.owner);
  value.set(accountKeyBytes(record.account), AT.account);
  value.set(record.sessionKey, AT.sessionKey);
  view.setUint32(AT.scope, record.scope, true);
  view.setBigUint64(AT.limit, record.limit, true);
  view.setBigUint64(AT.spent, record.spent, true);
  view.setBigUint64(AT.expiryMs, BigInt(record.expiryMs), true);
  value.set(record.transactionId, AT.transactionId);
  return value;
}

function viewOf(value: Uint8Array): DataView {
  if (!isSessionRecord(value)) {
    throw new ExecutionError(
      'state-corrupt',
      `a session record has ${SESSION_RECORD_BYTES} bytes, this one ${value.length}`,
      {},
    );
  }
  return new DataView(value.buffer, value.byteOffset, value.byteLength);
}

export function withSpent(value: Uint8Array, spent: bigint): Uint8Array {
  const charged = value.slice();
  viewOf(charged).setBigUint64(AT.spent, spent, true);
  return charged;
}

/** ms since 1970. */
export function expiryOfSession(value: Uint8Array): number {
  return Number(viewOf(value).getBigUint64(AT.expiryMs, true));
}

export function spentOfSession(value: Uint8Array): bigint {
  return viewOf(value).getBigUint64(AT.spent, true);
}

/** What a use of a credential needs. Throws ExecutionError `state-corrupt`. */
export function termsOfSession(value: Uint8Array): Pick<SessionRecord, 'revoked' | 'spent' | 'limit'> {
  const view = viewOf(value);
  const revoked = ((value[0] as number) & REVOKED) !== 0;
  return { revoked, spent: view.getBigUint64(AT.spent, true), limit: view.getBigUint64(AT.limit, true) };
}

/** Throws ExecutionError `state-corrupt`. */
export function decodeSession(value: Uint8Array): SessionRecord {
  const read = readSessionRecord(value);
  if (read.ok) return read.value;
  throw new ExecutionError('state-corrupt', read.error, {});
}

/** For the API and admission. */
export function readSession(read: ReadState, id: GrantId): SessionRecord | undefined {
  const value = read(sessionStateKey(id).bytes);
  return value && decodeSession(value);
}
