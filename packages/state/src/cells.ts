/**
 * Cells: what the store remembers of a live record, off the JavaScript heap.
 *
 *   word 0      ordinal of the record's Put in its log's file
 *   word 1      slot (9 bits; STAGED while no record is committed) | key bytes - 1 (6) | value bytes (17)
 *   then        key, value (both padded to words); of a value above 64 bytes, its number among the large ones
 *
 * A cell is named by its address in words. Cells of one size fill pages of their own, so freed ones are reused without
 * splitting or joining. A 32-byte key with a 16-byte value takes 56 bytes.
 */
import { assert } from '@slipstream/primitives';
import { wordsFor } from './words.ts';

export const INLINE_BYTES_MAX = 64;
export const CELL_HEAD_WORDS = 2;

/** 256 KiB a page: with every size in use, less than 9 MiB are unused. */
const PAGE_BITS = 16;
export const PAGE_WORDS = 1 << PAGE_BITS;
export const PAGE_MASK = PAGE_WORDS - 1;
const CELL_WORDS_MAX = CELL_HEAD_WORDS + 2 * (INLINE_BYTES_MAX / 4);
/** Addresses are 32 bits wide: 16 GiB of cells. */
const PAGES_MAX = 2 ** (32 - PAGE_BITS);

/** Of the cell of a key that a pending batch will bring with a file of its own: a slot that no log has. */
export const STAGED = 511;

/** Word 1 of a cell that is free; STAGED too. */
const FREE = -1;

export function packCell(slot: number, keyBytes: number, valueBytes: number): number {
  return slot | ((keyBytes - 1) << 9) | (valueBytes << 15);
}

export const slotOf = (packed: number): number => packed & 511;
export const keyBytesOf = (packed: number): number => ((packed >>> 9) & 63) + 1;
export const valueBytesOf = (packed: number): number => packed >>> 15;

/** Words of the cell of a record. */
export function cellWords(keyBytes: number, valueBytes: number): number {
  return CELL_HEAD_WORDS + wordsFor(keyBytes) + (valueBytes > INLINE_BYTES_MAX ? 1 : wordsFor(valueBytes));
}

export interface Cells {
  /** The page of an address; the cell begins at `address & PAGE_MASK` in it. */
  page(address: number): Int32Array;
  /** An address that is never 0. Its words are as the last user left them. */
  allocate(words: number): number;
  /** How many cells the next addresses have in one row, up to `wanted`; 0 when freed cells come first. */
  rowOf(words: number, wanted: number): number;
  /** The address of the first cell of such a row. */
  next(words: number): number;
  /** Takes `count` cells of the row, at most rowOf. */
  allocateRow(words: number, count: number): void;
  free(address: number, words: number): void;
  readonly bytes: number;
}

export function createCells(): Cells {
  const pages: Int32Array[] = [];
  /** Of each size: the first free cell (chained through word 0), the next unused one and where its page ends. */
  const freed = new Int32Array(CELL_WORDS_MAX + 1);
  const next = new Float64Array(CELL_WORDS_MAX + 1);
  const end = new Float64Array(CELL_WORDS_MAX + 1);

  function addPage(words: number): void {
    assert(pages.length < PAGES_MAX, 'the cells of all keys fit in 16 GiB');
    const start = pages.length * PAGE_WORDS;
    pages.push(new Int32Array(PAGE_WORDS));
    next[words] = start === 0 ? words : start;
    end[words] = start + PAGE_WORDS;
  }

  function allocate(words: number): number {
    const reused = freed[words] as number;
    if (reused !== 0) {
      const page = pages[reused >>> PAGE_BITS] as Int32Array;
      freed[words] = page[reused & PAGE_MASK] as number;
      return reused;
    }
    if ((next[words] as number) + words > (end[words] as number)) addPage(words);
    const address = next[words] as number;
    next[words] = address + words;
    return address | 0;
  }

  function rowOf(words: number, wanted: number): number {
    if (freed[words] !== 0) return 0;
    if ((next[words] as number) + words > (end[words] as number)) addPage(words);
    return Math.min(wanted, Math.floor(((end[words] as number) - (next[words] as number)) / words));
  }

  function allocateRow(words: number, count: number): void {
    next[words] = (next[words] as number) + count * words;
  }

  function free(address: number, words: number): void {
    const page = pages[address >>> PAGE_BITS] as Int32Array;
    const at = address & PAGE_MASK;
    page[at] = freed[words] as number;
    page[at + 1] = FREE;
    freed[words] = address;
  }

  return {
    page: (address) => pages[address >>> PAGE_BITS] as Int32Array,
    next: (words) => (next[words] as number) | 0,
    ...{ allocate, rowOf, allocateRow, free },
    get bytes() {
      return pages.length * PAGE_WORDS * 4;
    },
  };
}
