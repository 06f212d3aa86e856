/** Proven entries of the state, in words and as JSON. */
import type { StateEntry } from '@slipstream/client';
import { to0x } from '@slipstream/primitives';
import { accountKeyText } from '@slipstream/types';

export function entryText(entry: StateEntry): string {
  switch (entry.kind) {
    case 'account':
      return entry.exists
        ? `account ${entry.account} has balance ${entry.balance}`
        : `there is no account ${entry.account}`;
    case 'data': {
      const { account, name, value } = entry;
      const what = `data ${JSON.stringify(name)} of account ${account}`;
      return value === undefined ? `there is no ${what}` : `${what} is ${to0x(value)}`;
    }
    case 'session': {
      const { id, record } = entry;
      if (record === undefined) return `there is no session ${id}`;
      const until = record.revoked ? 'revoked' : `until ${new Date(record.expiryMs).toISOString()}`;
      return `session ${id} spent ${record.spent} of ${record.limit}, ${until}`;
    }
    case 'other': {
      const { key, value } = entry;
      return value === undefined ? `there is no key ${to0x(key)}` : `key ${to0x(key)} is ${to0x(value)}`;
    }
    default:
      return entry satisfies never;
  }
}

export function entryJson(entry: StateEntry): object {
  switch (entry.kind) {
    case 'account':
      return { ...entry, balance: entry.balance.toString() };
    case 'data':
      return { ...entry, value: entry.value === undefined ? null : to0x(entry.value) };
    case 'session': {
      const { kind, id, record } = entry;
      if (record === undefined) return { kind, id, record: null };
      const { owner, account, spent, limit, expiryMs, revoked } = record;
      const accounts = { owner: accountKeyText(owner), account: accountKeyText(account) };
      return { kind, id, record: { ...accounts, spent: spent.toString(), limit: limit.toString(), expiryMs, revoked } };
    }
    case 'other':
      return { ...entry, key: to0x(entry.key), value: entry.value === undefined ? null : to0x(entry.value) };
    default:
      return entry satisfies never;
  }
}
