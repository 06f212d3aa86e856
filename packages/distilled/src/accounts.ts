/**
 * Accounts that the rows of a block name, in columns by place: a place is given when an account is first named.
 *
 * The columns live for one block. What changed is written to the block's overlay, so rivals need no undo list.
 */
import { assert } from '@slipstream/primitives';
import { amountOf, isUint64 } from './rows.ts';

interface AccountEntry {
  readonly balance: bigint;
  /** Highest sequence that ran. */
  readonly last: number;
  /** 64 bits (sequences.ts). */
  readonly mask: bigint;
  /** Its account registered again: no row of it runs. */
  readonly retired: boolean;
}

/** Two words, the low one first, where an entry has 64 bits. More accounts replace the arrays. */
interface Columns {
  balances: Uint32Array;
  last: Uint32Array;
  masks: Uint32Array;
  retired: Uint8Array;
  touched: Uint8Array;
}

export interface Accounts {
  /** For the executor of rows, which calls `touch` before a change. */
  readonly columns: Readonly<Columns>;
  size(): number;
  read(place: number): AccountEntry;
  /** Returns its place. */
  append(entry: AccountEntry): number;
  /** As `append`, of an account that is not retired, by words: the low one first. */
  appendWords(balanceLow: number, balanceHigh: number, last: number, maskLow: number, maskHigh: number): number;
  touch(place: number): void;
}

const CAPACITY_AT_FIRST = 256;

export function createAccounts(capacity = CAPACITY_AT_FIRST): Accounts {
  const columns = createColumnsOf(capacity);
  let size = 0;
  return {
    columns,
    size: () => size,
    read(place) {
      assert(place < size, 'an account that is read has a place');
      return {
        balance: readWords(columns.balances, place),
        last: columns.last[place] as number,
        mask: readWords(columns.masks, place),
        retired: columns.retired[place] === 1,
      };
    },
    append({ balance, last, mask, retired }) {
      if (size === columns.last.length) grow(columns, 2 * size);
      writeWords(columns.balances, size, balance);
      columns.last[size] = last;
      writeWords(columns.masks, size, mask);
      columns.retired[size] = retired ? 1 : 0;
      return size++;
    },
    appendWords(balanceLow, balanceHigh, last, maskLow, maskHigh) {
      if (size === columns.last.length) grow(columns, 2 * size);
      const at = 2 * size;
      columns.balances[at] = balanceLow;
      columns.balances[at + 1] = balanceHigh;
      columns.last[size] = last;
      columns.masks[at] = maskLow;
      columns.masks[at + 1] = maskHigh;
      return size++;
    },
    touch(place) {
      columns.touched[place] = 1;
    },
  };
}

function createColumnsOf(capacity: number): Columns {
  return {
    balances: new Uint32Array(2 * capacity),
    last: new Uint32Array(capacity),
    masks: new Uint32Array(2 * capacity),
    retired: new Uint8Array(capacity),
    touched: new Uint8Array(capacity),
  };
}

function grow(columns: Columns, capacity: number): void {
  const { balances, last, masks, retired, touched } = columns;
  Object.assign(columns, createColumnsOf(capacity));
  columns.balances.set(balances);
  columns.last.set(last);
  columns.masks.set(masks);
  columns.retired.set(retired);
  columns.touched.set(touched);
}

function readWords(words: Uint32Array, place: number): bigint {
  return amountOf(words[2 * place] as number, words[2 * place + 1] as number);
}

function writeWords(words: Uint32Array, place: number, value: bigint): void {
  assert(isUint64(value), 'a balance and a mask have 64 bits');
  words[2 * place] = Number(value & 0xffff_ffffn);
  words[2 * place + 1] = Number(value >> 32n);
}
