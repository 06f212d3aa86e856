/**
 * Session records: the state of a grant, under 'g' || grant id.
 *
 *   flags u8 | owner (33) | account (33) | session key (32) | scope u32 | limit u64 | spent u64 | expiryMs u64 | transaction id (32)
 *
 * The issuing chain writes one with grantSession, another chain at a credential's first use. Later transactions carry the grant's id
 * alone, and no committee signature is checked again.
 */
import { concatBytes } from '@slipstream/primitives';
import {
  type AccountKey,
  accountKeyBytes,
  accountKeyFromWire,
  type GrantId,
  SESSION_RECORD_BYTES,
  type SessionRecord,
} from '@slipstream/types';
import { ExecutionError } from '../errors.ts';
import { type ReadState, type StateKey, stateKey } from '../state-keys.ts';

export const SESSION = 0x67;
const REVOKED = 1;
const ACTS_HERE = 2;

const ACCOUNT_BYTES = 33;
const OWNER_AT = 1;
const ACCOUNT_AT = OWNER_AT + ACCOUNT_BYTES;
const SESSION_KEY_AT = ACCOUNT_AT + ACCOUNT_BYTES;
const SCOPE_AT = SESSION_KEY_AT + 32;
const LIMIT_AT = SCOPE_AT + 4;
const SPENT_AT = LIMIT_AT + 8;
const EXPIRY_AT = SPENT_AT + 8;
const TRANSACTION_AT = EXPIRY_AT + 8;

export function sessionStateKey(id: GrantId): StateKey {
  return stateKey(concatBytes(new Uint8Array([SESSION]), id));
}

export function encodeSession(record: SessionRecord): Uint8Array {
  const value = new Uint8Array(SESSION_RECORD_BYTES);
  const view = new DataView(value.buffer);
  value[0] = (record.revoked ? REVOKED : 0) | (record.actsHere ? ACTS_HERE : 0);
  value.set(accountKeyBytes(record.owner), OWNER_AT);
  value.set(accountKeyBytes(record.account), ACCOUNT_AT);
  value.set(record.sessionKey, SESSION_KEY_AT);
  view.setUint32(SCOPE_AT, record.scope, true);
  view.setBigUint64(LIMIT_AT, record.limit, true);
  view.setBigUint64(SPENT_AT, record.spent, true);
  view.setBigUint64(EXPIRY_AT, BigInt(record.expiryMs), true);
  value.set(record.transactionId, TRANSACTION_AT);
  return value;
}

function viewOf(value: Uint8Array): DataView {
  if (value.length !== SESSION_RECORD_BYTES || (value[0] as number) > (REVOKED | ACTS_HERE)) {
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
  viewOf(charged).setBigUint64(SPENT_AT, spent, true);
  return charged;
}

/** ms since 1970. */
export function expiryOfSession(value: Uint8Array): number {
  return Number(viewOf(value).getBigUint64(EXPIRY_AT, true));
}

export function spentOfSession(value: Uint8Array): bigint {
  return viewOf(value).getBigUint64(SPENT_AT, true);
}

/** What a use of a credential needs. Throws ExecutionError `state-corrupt`. */
export function termsOfSession(value: Uint8Array): Pick<SessionRecord, 'revoked' | 'spent' | 'limit'> {
  const view = viewOf(value);
  const revoked = ((value[0] as number) & REVOKED) !== 0;
  return { revoked, spent: view.getBigUint64(SPENT_AT, true), limit: view.getBigUint64(LIMIT_AT, true) };
}

/** Throws ExecutionError `state-corrupt`. */
export function decodeSession(value: Uint8Array): SessionRecord {
  const view = viewOf(value);
  const flags = value[0] as number;
  return {
    owner: accountAt(value, OWNER_AT),
    account: accountAt(value, ACCOUNT_AT),
    sessionKey: value.subarray(SESSION_KEY_AT, SCOPE_AT),
    scope: view.getUint32(SCOPE_AT, true),
    limit: view.getBigUint64(LIMIT_AT, true),
    spent: view.getBigUint64(SPENT_AT, true),
    expiryMs: Number(view.getBigUint64(EXPIRY_AT, true)),
    revoked: (flags & REVOKED) !== 0,
    actsHere: (flags & ACTS_HERE) !== 0,
    transactionId: value.subarray(TRANSACTION_AT, SESSION_RECORD_BYTES),
  };
}

function accountAt(value: Uint8Array, at: number): AccountKey {
  return accountKeyFromWire({ scheme: value[at] as number, bytes: value.subarray(at + 1, at + ACCOUNT_BYTES) });
}

/** For the API and admission. */
export function readSession(read: ReadState, id: GrantId): SessionRecord | undefined {
  const value = read(sessionStateKey(id).bytes);
  return value && decodeSession(value);
}
