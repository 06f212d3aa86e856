/**
 * Registered accounts that a block's rows name: read from the block's overlay into columns at their first row, and written back once.
 *
 *   index --entry--> account --value--> a place in the columns --rows--> changed values, by index
 *
 * A retired index has the place of its account's newest index when it receives, and that of no account when it sends.
 */
import { type Accounts, createAccounts, type RowColumns } from '@slipstream/distilled';
import { bytesEqual } from '@slipstream/primitives';
import { decodeAccount, withRowsRun } from '../account-value.ts';
import { ENTRY_KEY_BYTES, fillEntryKey } from '../directory/keys.ts';
import { ExecutionError } from '../errors.ts';
import type { BlockOverlay } from '../overlay.ts';
import { ACCOUNT_KEY_BYTES, accountHeadOf, type CopyState, type KeyParts } from '../state-keys.ts';

interface RowAccounts {
  readonly accounts: Accounts;
  /** Throws ExecutionError `state-corrupt` for an index without an entry. */
  placed(rows: RowColumns): RowColumns;
  /** Writes the accounts that changed, in order of their newest index. */
  writeBack(): void;
}

interface Placed {
  /** Of its key in the block. */
  readonly number: number;
  readonly before: Uint8Array;
  /** The newest of the account. */
  readonly index: number;
}

/** Scheme and key, at the beginning of an entry. */
const ACCOUNT_BYTES = ACCOUNT_KEY_BYTES - 1;

/** It sends nothing, and no row pays it. */
const RETIRED = { balance: 0n, last: 0, mask: 0n, retired: true };

/** `copy`: of the state before the block, whose entries no transaction changes. */
export function createRowAccounts(overlay: BlockOverlay, copy: CopyState): RowAccounts {
  const accounts = createAccounts();
  const retiredPlace = accounts.append(RETIRED);
  /** By index: where it sends from, and where it receives. */
  const sending = new Map<number, number>();
  const receiving = new Map<number, number>();
  /** From the place after the retired one on. */
  const placedAccounts: Placed[] = [];
  const accountOf = createAccountReader(copy);

  function load(index: number): number {
    const known = receiving.get(index);
    if (known !== undefined) return known;
    const key = accountOf(index);
    const number = overlay.numberOf(key);
    const before = present(overlay.valueAt(number, key), 'the value of a registered account');
    const { balance, registration } = decodeAccount(before);
    if (registration === undefined) throw corrupt('an account with an entry is not registered');
    const newest = registration.index;
    const place = receiving.get(newest) ?? append({ number, before, index: newest }, { balance, ...registration });
    if (newest !== index) {
      receiving.set(index, place);
      sending.set(index, retiredPlace);
    }
    return place;
  }

  function append(account: Placed, value: { balance: bigint; last: number; mask: bigint }): number {
    const place = accounts.append({ ...value, retired: false });
    placedAccounts.push(account);
    receiving.set(account.index, place);
    sending.set(account.index, place);
    return place;
  }

  function placed(rows: RowColumns): RowColumns {
    const senders = new Uint32Array(rows.count);
    const recipients = new Uint32Array(rows.count);
    for (let i = 0; i < rows.count; i++) {
      recipients[i] = load(rows.recipients[i] as number);
      const sender = rows.senders[i] as number;
      load(sender);
      senders[i] = sending.get(sender) as number;
    }
    return { ...rows, senders, recipients };
  }

  function writeBack(): void {
    const { columns } = accounts;
    const changed: number[] = [];
    for (let at = 0; at < placedAccounts.length; at++) if (columns.touched[placeOf(at)] === 1) changed.push(at);
    const indexOf = (at: number): number => (placedAccounts[at] as Placed).index;
    for (const at of changed.sort((a, b) => indexOf(a) - indexOf(b))) {
      const { number, before } = placedAccounts[at] as Placed;
      const value = withRowsRun(before, columns, placeOf(at));
      if (!bytesEqual(value, before)) overlay.writeAt(number, value);
    }
  }

  return { accounts, placed, writeBack };

  function placeOf(at: number): number {
    return retiredPlace + 1 + at;
  }
}

/** The key of an index's account, valid until the next call. Throws ExecutionError `state-corrupt`. */
function createAccountReader(copy: CopyState): (index: number) => KeyParts {
  const key = new Uint8Array(ENTRY_KEY_BYTES);
  const entry = new Uint8Array(ACCOUNT_BYTES);
  const account = { head: 0, rest: entry.subarray(1) };
  return (index) => {
    fillEntryKey(index, key);
    if (copy(key, entry) < ACCOUNT_BYTES) throw corrupt('an entry of the directory is missing');
    account.head = accountHeadOf(entry[0] as number);
    return account;
  };
}

function present(value: Uint8Array | undefined, what: string): Uint8Array {
  if (value !== undefined) return value;
  throw corrupt(`${what} is missing`);
}

function corrupt(message: string): ExecutionError {
  return new ExecutionError('state-corrupt', message, {});
}
