/**
 * Buckets: rows in pages, a kind of page for each size, so that a bucket needs no head and leaves no gaps. Other keys make another bucket,
 * and the old one stays until the block is committed; another value of a key changes its entry in place, and the undo log has the old one.
 *
 *   reference   -(index * 16 + size), size 1 to 8; 9: a bucket of more keys, which all share their prefix
 */
import { BUCKET_KEYS_MAX } from './forms.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import { HASH_WORDS } from './pair-buffer.ts';
import { ENTRY, MARK, ROW_WORDS } from './rows.ts';

const SIZE_BITS = 4;
const SIZE_MASK = (1 << SIZE_BITS) - 1;
const LARGE = BUCKET_KEYS_MAX + 1;
const PAGE_BITS = 8;
const BUCKETS_OF_PAGE = 1 << PAGE_BITS;
const CACHE_LINE_WORDS = 16;

export interface BucketMemory {
  /** Copies `count` rows from `at` on. */
  allocate(rows: Uint32Array, at: number, count: number): number;
  free(ref: number): void;
  countOf(ref: number): number;
  /** The page with its rows, and where they begin. */
  pageOf(ref: number): Uint32Array;
  offsetOf(ref: number): number;
  /** The row of the one key with this row's prefix and mark. Undefined: there is none, or others share its prefix. */
  rowOf(ref: number, rows: Uint32Array, at: number): number | undefined;
  /** Copies an entry to `to` at `at`. */
  readEntry(ref: number, row: number, to: Uint32Array, at: number): void;
  writeEntry(ref: number, row: number, from: Uint32Array, at: number): void;
  /** Reads buckets into the processor's cache. Done together, the loads do not wait for each other. */
  load(refs: IntList): void;
  readonly bytes: number;
}

interface SizeClass {
  readonly pages: Uint32Array[];
  /** The first index that was never used. */
  next: number;
  /** References, the last one freed first: it may still be in the processor's cache. */
  readonly free: IntList;
}

export function createBucketMemory(): BucketMemory {
  const classes: SizeClass[] = Array.from({ length: LARGE }, () => ({ pages: [], next: 0, free: createIntList() }));
  const large = new Map<number, Uint32Array>();
  let nextLarge = 0;
  /** What was loaded goes somewhere, or no compiler would load it. */
  const sink = new Uint32Array(1);

  const pageOf = (ref: number): Uint32Array => {
    const [size, index] = [-ref & SIZE_MASK, -ref >>> SIZE_BITS];
    if (size === LARGE) return large.get(index) as Uint32Array;
    return (classes[size] as SizeClass).pages[index >>> PAGE_BITS] as Uint32Array;
  };
  const offsetOf = (ref: number): number => {
    const [size, index] = [-ref & SIZE_MASK, -ref >>> SIZE_BITS];
    return size === LARGE ? 0 : (index & (BUCKETS_OF_PAGE - 1)) * size * ROW_WORDS;
  };

  function placeIn(size: number): number {
    const own = classes[size] as SizeClass;
    const { free } = own;
    if (free.length > 0) {
      free.length -= 1;
      return free.values[free.length] as number;
    }
    if (own.next >>> PAGE_BITS === own.pages.length)
      own.pages.push(new Uint32Array(BUCKETS_OF_PAGE * size * ROW_WORDS));
    return -((own.next++ << SIZE_BITS) | size);
  }

  return {
    allocate(rows, at, count) {
      if (count > BUCKET_KEYS_MAX) {
        large.set(nextLarge, rows.slice(at, at + count * ROW_WORDS));
        return -((nextLarge++ << SIZE_BITS) | LARGE);
      }
      const ref = placeIn(count);
      const [page, to] = [pageOf(ref), offsetOf(ref)];
      for (let j = 0; j < count * ROW_WORDS; j++) page[to + j] = rows[at + j] as number;
      return ref;
    },
    free(ref) {
      const [size, index] = [-ref & SIZE_MASK, -ref >>> SIZE_BITS];
      if (size === LARGE) large.delete(index);
      else push((classes[size] as SizeClass).free, ref);
    },
    countOf(ref) {
      const size = -ref & SIZE_MASK;
      return size === LARGE ? pageOf(ref).length / ROW_WORDS : size;
    },
    pageOf,
    offsetOf,
    rowOf(ref, rows, at) {
      const [page, offset, count] = [pageOf(ref), offsetOf(ref), -ref & SIZE_MASK];
      if (count === LARGE) return undefined;
      let found: number | undefined;
      for (let i = 0, row = offset; i < count; i++, row += ROW_WORDS) {
        if (page[row] !== rows[at] || page[row + 1] !== rows[at + 1]) continue;
        if (page[row + MARK] !== rows[at + MARK]) return undefined;
        found = i;
      }
      return found;
    },
    readEntry(ref, row, to, at) {
      const [page, from] = [pageOf(ref), offsetOf(ref) + row * ROW_WORDS + ENTRY];
      for (let j = 0; j < HASH_WORDS; j++) to[at + j] = page[from + j] as number;
    },
    writeEntry(ref, row, from, at) {
      const [page, to] = [pageOf(ref), offsetOf(ref) + row * ROW_WORDS + ENTRY];
      for (let j = 0; j < HASH_WORDS; j++) page[to + j] = from[at + j] as number;
    },
    load({ values, length }) {
      let sum = 0;
      for (let i = 0; i < length; i++) {
        const ref = values[i] as number;
        if (ref === 0) continue;
        const [page, from] = [pageOf(ref), offsetOf(ref)];
        const to = from + (-ref & SIZE_MASK) * ROW_WORDS;
        for (let at = from; at < to; at += CACHE_LINE_WORDS) sum ^= page[at] as number;
      }
      sink[0] = sum;
    },
    get bytes() {
      let words = 0;
      for (const { pages, free } of classes)
        words += pages.reduce((sum, page) => sum + page.length, free.values.length);
      for (const rows of large.values()) words += rows.length;
      return 4 * words;
    },
  };
}
