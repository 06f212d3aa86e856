/**
 * Buckets: rows in pages, a kind of page for each size, so that a bucket needs no head and leaves no gaps. A bucket is never changed:
 * a write makes another one, and the old one stays until the block is committed.
 *
 *   reference   -(index * 16 + size), size 1 to 8; 9: a bucket of more keys, which all share their prefix
 */
import { BUCKET_KEYS_MAX } from './forms.ts';
import { ROW_WORDS } from './rows.ts';

const SIZE_BITS = 4;
const SIZE_MASK = (1 << SIZE_BITS) - 1;
const LARGE = BUCKET_KEYS_MAX + 1;
const PAGE_BITS = 8;
const BUCKETS_OF_PAGE = 1 << PAGE_BITS;

export interface BucketMemory {
  /** Copies `count` rows from `at` on. */
  allocate(rows: Uint32Array, at: number, count: number): number;
  free(ref: number): void;
  countOf(ref: number): number;
  /** The page with its rows, and where they begin. */
  pageOf(ref: number): Uint32Array;
  offsetOf(ref: number): number;
  readonly bytes: number;
}

interface SizeClass {
  readonly pages: Uint32Array[];
  next: number;
  /** Indexes plus 1, a list through the first words of free buckets. */
  firstFree: number;
}

export function createBucketMemory(): BucketMemory {
  const classes: SizeClass[] = Array.from({ length: LARGE }, () => ({ pages: [], next: 0, firstFree: 0 }));
  const large = new Map<number, Uint32Array>();
  let nextLarge = 0;

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
    if (own.firstFree === 0) {
      if (own.next >>> PAGE_BITS === own.pages.length)
        own.pages.push(new Uint32Array(BUCKETS_OF_PAGE * size * ROW_WORDS));
      return -((own.next++ << SIZE_BITS) | size);
    }
    const ref = -(((own.firstFree - 1) << SIZE_BITS) | size);
    own.firstFree = pageOf(ref)[offsetOf(ref)] as number;
    return ref;
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
      if (size === LARGE) {
        large.delete(index);
        return;
      }
      const own = classes[size] as SizeClass;
      pageOf(ref)[offsetOf(ref)] = own.firstFree;
      own.firstFree = index + 1;
    },
    countOf(ref) {
      const size = -ref & SIZE_MASK;
      return size === LARGE ? pageOf(ref).length / ROW_WORDS : size;
    },
    pageOf,
    offsetOf,
    get bytes() {
      let words = 0;
      for (const { pages } of classes) for (const page of pages) words += page.length;
      for (const rows of large.values()) words += rows.length;
      return 4 * words;
    },
  };
}
