/**
 * Registered accounts in columns, by index in the account directory, with an undo list for each block.
 *
 *   beginBlock --> changes of rows and of ordinary transactions --> endBlock: undo list --> undo, newest first, or forget
 *
 * The first change of an account in a block saves what it was, so a block costs memory by the accounts that it touches.
 */
import { assert } from '@slipstream/primitives';
import { amountOf, isUint64 } from './rows.ts';

interface AccountEntry {
  readonly balance: bigint;
  /** Highest sequence that ran. */
  readonly last: number;
  /** 64 bits (sequences.ts). */
  readonly mask: bigint;
  /** Its account registered again: no row of it runs, and it still receives. */
  readonly retired: boolean;
}

/** Two words, the low one first, where an entry has 64 bits. A growing directory replaces the arrays. */
interface Columns {
  balances: Uint32Array;
  last: Uint32Array;
  masks: Uint32Array;
  retired: Uint8Array;
  /** Number of the block that last saved the account. */
  savedIn: Uint32Array;
}

/** Opaque: for `undo`. */
interface BlockUndo {
  readonly block: number;
  readonly parent: number;
  /** Before the block. */
  readonly size: number;
  /** Changed ones, in order of first change; entries that the block added are not in it. */
  readonly touched: Uint32Array;
  /** What they were: SAVED_WORDS each. */
  readonly saved: Uint32Array;
}

export interface Accounts {
  /** For the executor of rows, between beginBlock and endBlock. `save` precedes a change. */
  readonly columns: Readonly<Columns>;
  size(): number;
  read(index: number): AccountEntry;
  beginBlock(): void;
  endBlock(): BlockUndo;
  save(index: number): void;
  /** Returns the index of the new entry. */
  append(entry: AccountEntry): number;
  setBalance(index: number, balance: bigint): void;
  retire(index: number): void;
  /** Only of the newest block that is not undone. */
  undo(block: BlockUndo): void;
}

const SAVED_WORDS = 6;
const CAPACITY_AT_FIRST = 1024;
const TOUCHED_AT_FIRST = 256;

export function createAccounts(capacity = CAPACITY_AT_FIRST): Accounts {
  const columns = createColumnsOf(capacity);
  let size = 0;
  /** Blocks begun so far: numbers are never used again. */
  let begun = 0;
  let tip = 0;
  let open: { block: number; size: number } | undefined;
  let touched = new Uint32Array(TOUCHED_AT_FIRST);
  let saved = new Uint32Array(SAVED_WORDS * TOUCHED_AT_FIRST);
  let touchedCount = 0;

  function save(index: number): void {
    assert(open !== undefined, 'accounts change within a block');
    if (columns.savedIn[index] === open.block) return;
    columns.savedIn[index] = open.block;
    // An entry of this block goes when the block is undone.
    if (index >= open.size) return;
    if (touchedCount === touched.length) {
      touched = grown(touched, 2 * touchedCount);
      saved = grown(saved, 2 * saved.length);
    }
    touched[touchedCount] = index;
    copyEntry(columns, index, saved, SAVED_WORDS * touchedCount);
    touchedCount++;
  }

  return {
    columns,
    size: () => size,
    read(index) {
      assert(index < size, 'an account that is read has an entry');
      return readEntry(columns, index);
    },
    beginBlock() {
      assert(open === undefined, 'a block ends before the next begins');
      begun++;
      open = { block: begun, size };
      touchedCount = 0;
    },
    endBlock() {
      assert(open !== undefined, 'a block that ends has begun');
      const undo: BlockUndo = {
        block: open.block,
        parent: tip,
        size: open.size,
        touched: touched.slice(0, touchedCount),
        saved: saved.slice(0, SAVED_WORDS * touchedCount),
      };
      tip = open.block;
      open = undefined;
      return undo;
    },
    save,
    append(entry) {
      assert(open !== undefined, 'accounts are added within a block');
      if (size === columns.last.length) grow(columns, 2 * size);
      writeEntry(columns, size, entry);
      columns.savedIn[size] = open.block;
      return size++;
    },
    setBalance(index, balance) {
      assert(index < size, 'an account that is set has an entry');
      save(index);
      writeWords(columns.balances, index, balance);
    },
    retire(index) {
      assert(index < size, 'a retired account has an entry');
      save(index);
      columns.retired[index] = 1;
    },
    undo(block) {
      assert(open === undefined && tip === block.block, 'blocks are undone newest first');
      for (let i = 0; i < block.touched.length; i++) {
        restoreEntry(columns, block.touched[i] as number, block.saved, SAVED_WORDS * i);
      }
      size = block.size;
      tip = block.parent;
    },
  };
}

function createColumnsOf(capacity: number): Columns {
  return {
    balances: new Uint32Array(2 * capacity),
    last: new Uint32Array(capacity),
    masks: new Uint32Array(2 * capacity),
    retired: new Uint8Array(capacity),
    savedIn: new Uint32Array(capacity),
  };
}

function grow(columns: Columns, capacity: number): void {
  columns.balances = grown(columns.balances, 2 * capacity);
  columns.last = grown(columns.last, capacity);
  columns.masks = grown(columns.masks, 2 * capacity);
  columns.savedIn = grown(columns.savedIn, capacity);
  const retired = new Uint8Array(capacity);
  retired.set(columns.retired);
  columns.retired = retired;
}

function grown(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(length);
  longer.set(words);
  return longer;
}

function readEntry(columns: Columns, index: number): AccountEntry {
  return {
    balance: readWords(columns.balances, index),
    last: columns.last[index] as number,
    mask: readWords(columns.masks, index),
    retired: columns.retired[index] === 1,
  };
}

function writeEntry(columns: Columns, index: number, entry: AccountEntry): void {
  writeWords(columns.balances, index, entry.balance);
  columns.last[index] = entry.last;
  writeWords(columns.masks, index, entry.mask);
  columns.retired[index] = entry.retired ? 1 : 0;
}

function readWords(words: Uint32Array, index: number): bigint {
  return amountOf(words[2 * index] as number, words[2 * index + 1] as number);
}

function writeWords(words: Uint32Array, index: number, value: bigint): void {
  assert(isUint64(value), 'a balance and a mask have 64 bits');
  words[2 * index] = Number(value & 0xffff_ffffn);
  words[2 * index + 1] = Number(value >> 32n);
}

function copyEntry({ balances, last, masks, retired }: Columns, index: number, saved: Uint32Array, at: number): void {
  saved[at] = balances[2 * index] as number;
  saved[at + 1] = balances[2 * index + 1] as number;
  saved[at + 2] = masks[2 * index] as number;
  saved[at + 3] = masks[2 * index + 1] as number;
  saved[at + 4] = last[index] as number;
  saved[at + 5] = retired[index] as number;
}

function restoreEntry(
  { balances, last, masks, retired }: Columns,
  index: number,
  saved: Uint32Array,
  at: number,
): void {
  balances[2 * index] = saved[at] as number;
  balances[2 * index + 1] = saved[at + 1] as number;
  masks[2 * index] = saved[at + 2] as number;
  masks[2 * index + 1] = saved[at + 3] as number;
  last[index] = saved[at + 4] as number;
  retired[index] = saved[at + 5] as number;
}
