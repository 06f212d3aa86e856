/**
 * Session records: the state of a grant.
 *
 *   flags u8 | owner (33) | account (33) | session key (32) | scope u32 | limit u64 | spent u64 | expiryMs u64 | transaction id (32)
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import { type AccountKey, accountKeyFromWire } from '../account.ts';
import { SESSION_RECORD_BYTES } from '../actions/costs.ts';

export interface SessionRecord {
  /** May revoke it here: the anchor on the issuing chain; elsewhere the account. */
  readonly owner: AccountKey;
  /** On the target chain. */
  readonly account: AccountKey;
  /** Ed25519. */
  readonly sessionKey: Uint8Array;
  /** Bits of scope.ts. */
  readonly scope: number;
  /** What may leave the account, fees included; and what has. */
  readonly limit: bigint;
  readonly spent: bigint;
  readonly expiryMs: number;
  readonly revoked: boolean;
  readonly actsHere: boolean;
  /** Created the record: on the issuing chain, the grant's. */
  readonly transactionId: Uint8Array;
}

const ACCOUNT_BYTES = 33;
const OWNER_AT = 1;
const ACCOUNT_AT = OWNER_AT + ACCOUNT_BYTES;
const SESSION_KEY_AT = ACCOUNT_AT + ACCOUNT_BYTES;
const SCOPE_AT = SESSION_KEY_AT + 32;
const LIMIT_AT = SCOPE_AT + 4;
const SPENT_AT = LIMIT_AT + 8;
const EXPIRY_AT = SPENT_AT + 8;

/** Where each field begins. */
export const SESSION_RECORD_PLACES = {
  owner: OWNER_AT,
  account: ACCOUNT_AT,
  sessionKey: SESSION_KEY_AT,
  scope: SCOPE_AT,
  limit: LIMIT_AT,
  spent: SPENT_AT,
  expiryMs: EXPIRY_AT,
  transactionId: EXPIRY_AT + 8,
} as const;

export const SESSION_FLAGS = { revoked: 1, actsHere: 2 } as const;

export function isSessionRecord(value: Uint8Array): boolean {
  const flags = value[0] as number;
  return value.length === SESSION_RECORD_BYTES && flags <= (SESSION_FLAGS.revoked | SESSION_FLAGS.actsHere);
}

/** Shares the memory of the value. */
export function readSessionRecord(value: Uint8Array): Result<SessionRecord, string> {
  if (!isSessionRecord(value))
    return fail(`a session record has ${SESSION_RECORD_BYTES} bytes, this one ${value.length}`);
  const at = SESSION_RECORD_PLACES;
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  const flags = value[0] as number;
  const accountAt = (place: number) =>
    accountKeyFromWire({ scheme: value[place] as number, bytes: value.subarray(place + 1, place + ACCOUNT_BYTES) });
  try {
    return ok({
      owner: accountAt(at.owner),
      account: accountAt(at.account),
      sessionKey: value.subarray(at.sessionKey, at.scope),
      scope: view.getUint32(at.scope, true),
      limit: view.getBigUint64(at.limit, true),
      spent: view.getBigUint64(at.spent, true),
      expiryMs: Number(view.getBigUint64(at.expiryMs, true)),
      revoked: (flags & SESSION_FLAGS.revoked) !== 0,
      actsHere: (flags & SESSION_FLAGS.actsHere) !== 0,
      transactionId: value.subarray(at.transactionId),
    });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
