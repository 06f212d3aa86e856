/**
 * Cells: entries for live records, off the JavaScript heap.
 *
 *   word 0      ordinal of the record's Put in its log's file
 *   word 1      slot (9 bits) | key bytes - 1 (6) | value bytes (17)
 *   then        key, value (both padded to words); for a value above 64 bytes, its number in LargeValues
 *
 * Addresses count words. Each page holds cells of one size, so freed cells are reused whole.
 */
import { assert } from '@slipstream/primitives';
import { wordsFor } from '../typed-arrays/word-arrays.ts';

export const INLINE_BYTES_MAX = 64;
export const CELL_HEAD_WORDS = 2;

/** 256 KiB per page: with every size in use, less than 9 MiB are unused. */
const PAGE_BITS = 16;
const PAGE_WORDS = 1 << PAGE_BITS;
export const PAGE_MASK = PAGE_WORDS - 1;
const CELL_WORDS_MAX = CELL_HEAD_WORDS + 2 * (INLINE_BYTES_MAX / 4);
/** Addresses have 32 bits: 16 GiB of cells. */
const PAGES_MAX = 2 ** (32 - PAGE_BITS);

/** Word 1 of a free cell, which no log's slot equals. */
const FREE = -1;

export function packCell(slot: number, keyBytes: number, valueBytes: number): number {
  return slot | ((keyBytes - 1) << 9) | (valueBytes << 15);
}

export const slotOf = (packed: number): number => packed & 511;
export const keyBytesOf = (packed: number): number => ((packed >>> 9) & 63) + 1;
export const valueBytesOf = (packed: number): number => packed >>> 15;

export function cellWords(keyBytes: number, valueBytes: number): number {
  return CELL_HEAD_WORDS + wordsFor(keyBytes) + (valueBytes > INLINE_BYTES_MAX ? 1 : wordsFor(valueBytes));
}

export interface Cells {
  /** The cell begins at `address & PAGE_MASK`. */
  page(address: number): Int32Array;
  /** Never 0. The words are not cleared. */
  allocate(words: number): number;
  /** Number of adjacent unused cells, up to `wanted`; 0 while there are freed cells. */
  unusedInRow(words: number, wanted: number): number;
  /** Address of the first of them. */
  next(words: number): number;
  /** `count` is at most unusedInRow. */
  allocateRow(words: number, count: number): void;
  free(address: number, words: number): void;
  readonly bytes: number;
}

interface Size {
  readonly words: number;
  /** First free cell, or 0. Word 0 holds the next one. */
  freed: number;
  /** Addresses of pages, and the index of the one being filled. */
  readonly pages: number[];
  current: number;
  /** Next unused cell of that page, and the page's end. */
  next: number;
  end: number;
}

export function createCells(): Cells {
  const pages: Int32Array[] = [];
  const sizes: readonly Size[] = Array.from({ length: CELL_WORDS_MAX + 1 }, (_, words) => {
    return { words, freed: 0, pages: [], current: -1, next: 0, end: 0 };
  });

  const sizeOf = (words: number): Size => sizes[words] as Size;

  function nextPage(size: Size): void {
    if (size.current + 1 === size.pages.length) {
      assert(pages.length < PAGES_MAX, 'the cells of all keys fit in 16 GiB');
      size.pages.push(pages.length * PAGE_WORDS);
      pages.push(new Int32Array(PAGE_WORDS));
    }
    size.current += 1;
    size.next = firstOf(size);
    size.end = (size.pages[size.current] as number) + PAGE_WORDS;
  }

  /** Address 0 stays unused. */
  function firstOf({ words, pages: own, current }: Size): number {
    const start = own[current] as number;
    return start === 0 ? words : start;
  }

  function ensureUnused(size: Size): void {
    if (size.next + size.words > size.end) nextPage(size);
  }

  function allocate(words: number): number {
    const size = sizeOf(words);
    const reused = size.freed;
    if (reused !== 0) {
      const page = pages[reused >>> PAGE_BITS] as Int32Array;
      size.freed = page[reused & PAGE_MASK] as number;
      return reused;
    }
    ensureUnused(size);
    const address = size.next;
    size.next = address + words;
    return address | 0;
  }

  function unusedInRow(words: number, wanted: number): number {
    const size = sizeOf(words);
    if (size.freed !== 0) return 0;
    ensureUnused(size);
    return Math.min(wanted, Math.floor((size.end - size.next) / words));
  }

  function free(address: number, words: number): void {
    const size = sizeOf(words);
    const page = pages[address >>> PAGE_BITS] as Int32Array;
    const at = address & PAGE_MASK;
    page[at + 1] = FREE;
    page[at] = size.freed;
    size.freed = address;
  }

  return {
    page: (address) => pages[address >>> PAGE_BITS] as Int32Array,
    next: (words) => sizeOf(words).next | 0,
    allocateRow(words, count) {
      sizeOf(words).next += count * words;
    },
    allocate,
    unusedInRow,
    free,
    get bytes() {
      return pages.length * PAGE_WORDS * 4;
    },
  };
}
