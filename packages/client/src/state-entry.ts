/** What a key of the state and its value say. */
import { fail, ok, type Result, to0x } from '@slipstream/primitives';
import {
  APPLICATIONS_STATE_KEY,
  accountKeyText,
  type GrantId,
  idFromHex,
  meaningOfStateKey,
  readAccountValue,
  readSessionRecord,
  requireAccount,
  type SessionRecord,
  scopeActions,
  stateKeyOfAccount,
  stateKeyOfData,
  stateKeyOfEntry,
  stateKeyOfSession,
} from '@slipstream/types';

export interface AccountEntry {
  readonly kind: 'account';
  /** 0x and hexadecimal. */
  readonly account: string;
  readonly balance: bigint;
  /** Whether it has a balance or an index. */
  readonly exists: boolean;
  /** Newest index in the account directory. */
  readonly index: number | undefined;
  /** Highest sequence of a distilled row of that index. */
  readonly last: number | undefined;
}

export interface DataEntry {
  readonly kind: 'data';
  readonly account: string;
  readonly name: string;
  /** Undefined: there is none. */
  readonly value: Uint8Array | undefined;
}

export interface SessionEntry {
  readonly kind: 'session';
  /** Of its grant. */
  readonly id: string;
  /** Undefined: the chain does not know it. */
  readonly record: SessionRecord | undefined;
}

export type StateEntry =
  | AccountEntry
  | DataEntry
  | SessionEntry
  /** A key of the chain itself; or of no form that this version knows. */
  | { readonly kind: 'other'; readonly key: Uint8Array; readonly value: Uint8Array | undefined };

/** Keys of the state. Accounts and ids: 0x and hexadecimal. They throw RangeError. */
export const stateKeys = {
  account: (account: string): Uint8Array => stateKeyOfAccount(requireAccount(account)),
  data: (account: string, name: string): Uint8Array => stateKeyOfData(requireAccount(account), name),
  /** Of an application's table, both by number; `key` in the table's encoding. */
  entry: (application: number, table: number, key: Uint8Array): Uint8Array => stateKeyOfEntry(application, table, key),
  /** Which applications the chain runs (`applicationsInState`). */
  applications: (): Uint8Array => APPLICATIONS_STATE_KEY,
  session: (id: string): Uint8Array => stateKeyOfSession(idFromHex<GrantId>(id.toLowerCase())),
} as const;

/** As the API answers it, without a height. */
export function accountJson({ account, balance, exists, index, last }: AccountEntry) {
  const place = index === undefined ? {} : { index, last: last ?? 0 };
  return { account, balance: balance.toString(), exists, ...place };
}

/** As the API answers it, without a height and a status. */
export function sessionJson(id: string, record: SessionRecord) {
  const { owner, account, sessionKey, scope, limit, spent, expiryMs, actsHere, transactionId } = record;
  return {
    id,
    account: accountKeyText(account),
    owner: accountKeyText(owner),
    sessionKey: to0x(sessionKey),
    scope: [...scopeActions(scope)],
    spendLimit: limit.toString(),
    spent: spent.toString(),
    expiryMs,
    actsHere,
    transactionId: to0x(transactionId),
  };
}

/** Fails for a value that the chain does not write under such a key. */
export function readStateEntry(key: Uint8Array, value: Uint8Array | undefined): Result<StateEntry, string> {
  const meaning = meaningOfStateKey(key);
  switch (meaning.kind) {
    case 'account': {
      const read = readAccountValue(value);
      if (!read.ok) return fail(read.error);
      const { balance, registration } = read.value;
      const account = accountKeyText(meaning.account);
      const place = { index: registration?.index, last: registration?.last };
      return ok({ kind: 'account', account, balance, exists: value !== undefined, ...place });
    }
    case 'data':
      return ok({ kind: 'data', account: accountKeyText(meaning.account), name: meaning.name, value });
    case 'session': {
      const record = value === undefined ? ok(undefined) : readSessionRecord(value);
      return record.ok ? ok({ kind: 'session', id: to0x(meaning.id), record: record.value }) : record;
    }
    case 'other':
      return ok({ kind: 'other', key, value });
    default:
      return meaning satisfies never;
  }
}
