/**
 * Registered accounts that a block's rows name: read from the block's overlay into columns at their first row, and written back once.
 *
 *   index --entry--> account --value--> a place in the columns --rows--> changed values, by index
 *
 * A retired index has the place of its account's newest index when it receives, and that of no account when it sends.
 */
import { type Accounts, createAccounts, type RowColumns } from '@slipstream/distilled';
import { assert } from '@slipstream/primitives';
import { REGISTERED_BYTES } from '@slipstream/types';
import { ACCOUNT_WORDS, wordsOfAccount, writeAccountWords } from '../account-value.ts';
import { ENTRY_KEY_BYTES, fillEntryKey } from '../directory/keys.ts';
import { ExecutionError } from '../errors.ts';
import type { BlockOverlay } from '../overlay.ts';
import { accountHeadOf, type CopyState, type KeyParts } from '../state-keys.ts';
import { ENTRY_ACCOUNT_BYTES, type EntryMemory } from './entry-memory.ts';

export interface RowDirectory {
  /** Of the state before the block, whose entries no transaction changes. */
  readonly copy: CopyState;
  readonly entries: EntryMemory;
}

interface RowAccounts {
  readonly accounts: Accounts;
  /** Throws ExecutionError `state-corrupt` for an index without an entry. */
  placed(rows: RowColumns): RowColumns;
  /** Writes the accounts that changed, in order of their newest index. */
  writeBack(): void;
}

const ACCOUNTS_AT_FIRST = 256;

/** It sends nothing, and no row pays it. */
const RETIRED = { balance: 0n, last: 0, mask: 0n, retired: true };

export function createRowAccounts(overlay: BlockOverlay, directory: RowDirectory): RowAccounts {
  const accounts = createAccounts();
  const retiredPlace = accounts.append(RETIRED);
  /** By index: where its account has its place; of a retired index that place below zero, less one. */
  const { placeOf, setPlace } = directory.entries;
  const accountOf = createAccountReader(directory);
  /** By place: the number of the account's key in the block, and the words of its value before the rows. */
  const numbers: number[] = [0];
  let before = new Uint32Array(ACCOUNT_WORDS * ACCOUNTS_AT_FIRST);
  const value = new Uint8Array(REGISTERED_BYTES);

  function load(index: number): number {
    const known = placeOf(index);
    if (known !== undefined) return known;
    const key = accountOf(index);
    const number = overlay.numberOf(key);
    if (overlay.copyAt(number, key, value) !== REGISTERED_BYTES)
      throw corrupt('an account with an entry is not registered');
    const at = wordsAt(numbers.length);
    wordsOfAccount(value, before, at);
    const newest = (before[at + 2] as number) - 1;
    const place = placeOf(newest) ?? append(newest, number);
    if (newest === index) return place;
    setPlace(index, -place - 1);
    return -place - 1;
  }

  /** Its words are behind those of the others. */
  function append(newest: number, number: number): number {
    const at = wordsAt(numbers.length);
    const word = (i: number): number => before[at + i] as number;
    const place = accounts.appendWords(word(0), word(1), word(3), word(4), word(5));
    assert(place === numbers.length, 'places and numbers are appended together');
    numbers.push(number);
    setPlace(newest, place);
    return place;
  }

  /** Where the words of a place begin; makes room for them. */
  function wordsAt(place: number): number {
    const at = ACCOUNT_WORDS * place;
    if (at + ACCOUNT_WORDS > before.length) {
      const wider = new Uint32Array(2 * before.length);
      wider.set(before);
      before = wider;
    }
    return at;
  }

  function placed(rows: RowColumns): RowColumns {
    const senders = new Uint32Array(rows.count);
    const recipients = new Uint32Array(rows.count);
    for (let i = 0; i < rows.count; i++) {
      const recipient = load(rows.recipients[i] as number);
      recipients[i] = recipient < 0 ? -recipient - 1 : recipient;
      const sender = load(rows.senders[i] as number);
      senders[i] = sender < 0 ? retiredPlace : sender;
    }
    return { ...rows, senders, recipients };
  }

  function writeBack(): void {
    const changed: number[] = [];
    for (let place = retiredPlace + 1; place < numbers.length; place++) {
      if (accounts.columns.touched[place] === 1 && changeWords(before, place, accounts.columns)) changed.push(place);
    }
    const indexOf = (place: number): number => before[ACCOUNT_WORDS * place + 2] as number;
    changed.sort((a, b) => indexOf(a) - indexOf(b));
    // One array: of each value an own one would cost more than the rest of its row.
    const values = new Uint8Array(REGISTERED_BYTES * changed.length);
    for (let i = 0, at = 0; i < changed.length; i++, at += REGISTERED_BYTES) {
      const place = changed[i] as number;
      writeAccountWords(before, ACCOUNT_WORDS * place, values, at);
      overlay.writeAt(numbers[place] as number, values.subarray(at, at + REGISTERED_BYTES));
    }
  }

  return { accounts, placed, writeBack };
}

/** The key of an index's account, valid until the next call. Throws ExecutionError `state-corrupt`. */
function createAccountReader({ copy, entries }: RowDirectory): (index: number) => KeyParts {
  const key = new Uint8Array(ENTRY_KEY_BYTES);
  const entry = new Uint8Array(ENTRY_ACCOUNT_BYTES);
  const account = { head: 0, rest: entry.subarray(1) };
  return (index) => {
    if (!entries.copyAccount(index, entry)) {
      fillEntryKey(index, key);
      if (copy(key, entry) < ENTRY_ACCOUNT_BYTES) throw corrupt('an entry of the directory is missing');
      entries.keepAccount(index, entry);
    }
    account.head = accountHeadOf(entry[0] as number);
    return account;
  };
}

/** Sets the words of a place's value to what rows left in the columns. Returns whether one of them changes. */
function changeWords(words: Uint32Array, place: number, { balances, last, masks }: Accounts['columns']): boolean {
  const at = ACCOUNT_WORDS * place;
  let difference = 0;
  const set = (word: number, now: number): void => {
    difference |= (words[at + word] as number) ^ now;
    words[at + word] = now;
  };
  set(0, balances[2 * place] as number);
  set(1, balances[2 * place + 1] as number);
  set(3, last[place] as number);
  set(4, masks[2 * place] as number);
  set(5, masks[2 * place + 1] as number);
  return difference !== 0;
}

function corrupt(message: string): ExecutionError {
  return new ExecutionError('state-corrupt', message, {});
}
