/**
 * Rows: what the tree remembers of a key, eleven 32-bit words.
 *
 *   0, 1    the first 8 bytes of K, as two numbers that sort like the bytes
 *   2       mark: tells keys apart whose K begin alike
 *   3..10   the entry, bytes as hashed
 *
 * Two keys with equal first 8 bytes of K take 2^32 hashes to find. The mark is a hash of K with a secret of this process, so
 * that no attacker can look for two keys that also share it: the tree would take a write of one for a write of the other.
 */
import { badChange } from './changes.ts';
import { HASH_WORDS, swapBytes } from './pair-buffer.ts';

export const MARK = 2;
export const ENTRY = 3;
export const ROW_WORDS = ENTRY + HASH_WORDS;

export interface RowMemory {
  readonly rows: Uint32Array;
  /** 1: the key is deleted. */
  readonly deletes: Uint8Array;
}

export interface Rows extends RowMemory {
  readonly count: number;
}

export function rowMemory(count: number): RowMemory {
  return { rows: new Uint32Array(count * ROW_WORDS), deletes: new Uint8Array(count) };
}

/** By prefix, then mark. */
export interface SortedRows extends Rows {
  readonly isSorted: true;
}

const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;

/** Throws StateTreeError `bad-changes` if a key is there twice. */
export function sortRows({ count, rows, deletes }: Rows): SortedRows {
  const order = orderOf(rows, count);
  const sorted: SortedRows = { ...rowMemory(count), count, isSorted: true };
  for (let i = 0; i < count; i++) {
    const from = order[i] as number;
    copyRow(rows, from * ROW_WORDS, sorted.rows, i * ROW_WORDS);
    sorted.deletes[i] = deletes[from] as number;
  }
  return sorted;
}

export function copyRow(from: Uint32Array, fromAt: number, to: Uint32Array, toAt: number): void {
  for (let j = 0; j < ROW_WORDS; j++) to[toAt + j] = from[fromAt + j] as number;
}

/** By the first word with a radix sort; the few that share it by comparing. */
function orderOf(rows: Uint32Array, count: number): Uint32Array {
  let [order, spare] = [new Uint32Array(count), new Uint32Array(count)];
  const heads = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    order[i] = i;
    heads[i] = rows[i * ROW_WORDS] as number;
  }
  const next = new Uint32Array(RADIX + 1);
  for (let shift = 0; shift < 32; shift += RADIX_BITS) {
    next.fill(0);
    for (let i = 0; i < count; i++) {
      const above = (((heads[i] as number) >>> shift) & (RADIX - 1)) + 1;
      next[above] = (next[above] as number) + 1;
    }
    for (let digit = 1; digit < RADIX; digit++) next[digit] = (next[digit] as number) + (next[digit - 1] as number);
    for (let i = 0; i < count; i++) {
      const row = order[i] as number;
      const digit = ((heads[row] as number) >>> shift) & (RADIX - 1);
      spare[next[digit] as number] = row;
      next[digit] = (next[digit] as number) + 1;
    }
    [order, spare] = [spare, order];
  }
  sortEqualHeads(rows, heads, order);
  return order;
}

function sortEqualHeads(rows: Uint32Array, heads: Uint32Array, order: Uint32Array): void {
  for (let i = 1; i < order.length; i++) {
    const row = order[i] as number;
    let to = i;
    for (; to > 0; to--) {
      const before = order[to - 1] as number;
      if (heads[before] !== heads[row]) break;
      const comparison = compareMarked(rows, before * ROW_WORDS, rows, row * ROW_WORDS);
      if (comparison === 0) throw badChange('it has a key twice');
      if (comparison < 0) break;
      order[to] = before;
    }
    order[to] = row;
  }
}

function compareMarked(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  return comparePrefixes(a, aAt, b, bAt) || compareWords(a[aAt + MARK] as number, b[bAt + MARK] as number);
}

export function comparePrefixes(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  return compareWords(a[aAt] as number, b[bAt] as number) || compareWords(a[aAt + 1] as number, b[bAt + 1] as number);
}

/** Not their difference, which takes a number of 64 bits. */
const compareWords = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);

/** The order in a bucket of keys with one prefix: by contents alone, which the mark is not. */
export function compareEntries(a: Uint32Array, aAt: number, b: Uint32Array, bAt: number): number {
  for (let j = ENTRY; j < ROW_WORDS; j++) {
    const order = compareWords(swapBytes(a[aAt + j] as number), swapBytes(b[bAt + j] as number));
    if (order !== 0) return order;
  }
  return 0;
}

/** Sorted rows [from, to), each with a prefix of its own, and none deleted: a new subtree has them as they are. */
export function arePlain({ rows, deletes }: SortedRows, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    if (deletes[i] !== 0) return false;
    if (i > from && comparePrefixes(rows, (i - 1) * ROW_WORDS, rows, i * ROW_WORDS) === 0) return false;
  }
  return true;
}

/** 1 if the row's way leads right at this depth. */
export function rowBit(rows: Uint32Array, at: number, depth: number): number {
  return depth < 32 ? ((rows[at] as number) >>> (31 - depth)) & 1 : ((rows[at + 1] as number) >>> (63 - depth)) & 1;
}
