/** State keys of which clients ask proofs (packages/execution has the whole table). */
import { concatBytes, fromUtf8, sha256, utf8 } from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes, accountKeyFromWire } from '../account.ts';
import type { ValidatorId } from '../epochs/validator-id.ts';
import { asId, type GrantId, ID_BYTES } from '../ids.ts';

/** First byte of a key. */
export const STATE_KINDS = {
  account: 0x61,
  data: 0x64,
  session: 0x67,
  /** Of the chain itself. */
  system: 0x73,
  /** Of applications: an entry under its key, and one under its key's hash. */
  hashedEntry: 0x68,
  entry: 0x74,
  validator: 0x76,
} as const;

/** Scheme and key. */
const ACCOUNT_BYTES = 33;

const under = (kind: number, ...rest: readonly Uint8Array[]) => concatBytes(Uint8Array.of(kind), ...rest);

export function stateKeyOfAccount(account: AccountKey): Uint8Array {
  return under(STATE_KINDS.account, accountKeyBytes(account));
}

/** The name has 1 to DATA_NAME_BYTES_MAX bytes of UTF-8. */
export function stateKeyOfData(account: AccountKey, name: string): Uint8Array {
  return under(STATE_KINDS.data, accountKeyBytes(account), utf8(name));
}

export function stateKeyOfSession(id: GrantId): Uint8Array {
  return under(STATE_KINDS.session, id);
}

export function stateKeyOfValidator(id: ValidatorId): Uint8Array {
  return under(STATE_KINDS.validator, id);
}

/** Of an entry's own key that is in the state's key; a longer one is there by its hash. */
const ENTRY_KEY_BYTES_MAX = 56;
/** Kind, application and table. */
const ENTRY_HEAD_BYTES = 4;

/**
 * @param application its number, in the order of genesis
 * @param table its number in the application's manifest
 * @param length so many bytes of `key` count
 */
export function stateKeyOfEntry(application: number, table: number, key: Uint8Array, length = key.length): Uint8Array {
  const isShort = length <= ENTRY_KEY_BYTES_MAX;
  const own = isShort ? key : sha256(Uint8Array.from(key.subarray(0, length)));
  const ownBytes = isShort ? length : own.length;
  const bytes = new Uint8Array(ENTRY_HEAD_BYTES + ownBytes);
  bytes[0] = isShort ? STATE_KINDS.entry : STATE_KINDS.hashedEntry;
  bytes[1] = application >>> 8;
  bytes[2] = application;
  bytes[3] = table;
  // A loop: for so few bytes `set` takes longer.
  for (let i = 0; i < ownBytes; i++) bytes[ENTRY_HEAD_BYTES + i] = own[i] as number;
  return bytes;
}

type StateKeyMeaning =
  | { readonly kind: 'account'; readonly account: AccountKey }
  | { readonly kind: 'data'; readonly account: AccountKey; readonly name: string }
  | { readonly kind: 'session'; readonly id: GrantId }
  | { readonly kind: 'other' };

/** `other`: a key of the chain itself, or of no form that the chain writes. */
export function meaningOfStateKey(key: Uint8Array): StateKeyMeaning {
  const rest = key.subarray(1);
  try {
    if (key[0] === STATE_KINDS.account) return { kind: 'account', account: accountIn(rest) };
    if (key[0] === STATE_KINDS.data && rest.length > ACCOUNT_BYTES)
      return {
        kind: 'data',
        account: accountIn(rest.subarray(0, ACCOUNT_BYTES)),
        name: fromUtf8(rest.subarray(ACCOUNT_BYTES)),
      };
  } catch {
    return { kind: 'other' };
  }
  if (key[0] === STATE_KINDS.session && rest.length === ID_BYTES) return { kind: 'session', id: asId<GrantId>(rest) };
  return { kind: 'other' };
}

function accountIn(bytes: Uint8Array): AccountKey {
  return accountKeyFromWire({ scheme: bytes[0] ?? 0, bytes: bytes.subarray(1) });
}
