/** A bucket's rows and changes for them, as one sorted list. */
import type { BucketMemory } from './bucket-memory.ts';
import { compareEntries, comparePrefixes, copyRow, MARK, ROW_WORDS, type SortedRows } from './rows.ts';

interface MergedRows {
  /** Until the next merge. */
  rows: Uint32Array;
  count: number;
  /** `ref` 0: no bucket. */
  mergeChanges(ref: number, changes: SortedRows, from: number, to: number): void;
  /** Of two neighbours, the left one first. */
  join(left: number, right: number): void;
}

interface BucketRange {
  readonly page: Uint32Array;
  readonly offset: number;
  readonly old: number;
  readonly oldEnd: number;
}

const FIRST_ROWS = 64;

export function createMergedRows(buckets: BucketMemory): MergedRows {
  const merged: MergedRows = { rows: new Uint32Array(FIRST_ROWS * ROW_WORDS), count: 0, mergeChanges, join };

  function begin(rows: number): void {
    merged.count = 0;
    if (merged.rows.length < rows * ROW_WORDS) merged.rows = new Uint32Array(2 * rows * ROW_WORDS);
  }

  function add(from: Uint32Array, at: number): void {
    copyRow(from, at, merged.rows, merged.count * ROW_WORDS);
    merged.count += 1;
  }

  function addAll(ref: number): void {
    if (ref === 0) return;
    const [page, offset, count] = [buckets.pageOf(ref), buckets.offsetOf(ref), buckets.countOf(ref)];
    for (let i = 0; i < count; i++) add(page, offset + i * ROW_WORDS);
  }

  function mergeChanges(ref: number, { rows, deletes }: SortedRows, from: number, to: number): void {
    const count = ref === 0 ? 0 : buckets.countOf(ref);
    begin(count + to - from);
    const page = ref === 0 ? rows : buckets.pageOf(ref);
    const offset = ref === 0 ? 0 : buckets.offsetOf(ref);
    let [old, change] = [0, from];
    while (old < count || change < to) {
      const [oldAt, changeAt] = [offset + old * ROW_WORDS, change * ROW_WORDS];
      const order = old === count ? 1 : change === to ? -1 : comparePrefixes(page, oldAt, rows, changeAt);
      if (order < 0) {
        add(page, oldAt);
        old += 1;
      } else if (order > 0) {
        const first = merged.count;
        const end = endOfPrefix(rows, changeAt, change, to, 0);
        for (; change < end; change++) if (deletes[change] === 0) add(rows, change * ROW_WORDS);
        sortFrom(first);
      } else {
        const oldEnd = endOfPrefix(page, oldAt, old, count, offset);
        const end = endOfPrefix(rows, changeAt, change, to, 0);
        mergePrefix({ page, offset, old, oldEnd }, { rows, deletes }, change, end);
        [old, change] = [oldEnd, end];
      }
    }
  }

  /** Keys of one prefix: nearly always one, and the same in both. Which keys are the same, their marks say. */
  function mergePrefix(
    { page, offset, old, oldEnd }: BucketRange,
    { rows, deletes }: Pick<SortedRows, 'rows' | 'deletes'>,
    from: number,
    to: number,
  ): void {
    const first = merged.count;
    for (let i = old; i < oldEnd; i++) {
      const at = offset + i * ROW_WORDS;
      let isReplaced = false;
      for (let c = from; c < to; c++) if (rows[c * ROW_WORDS + MARK] === page[at + MARK]) isReplaced = true;
      if (!isReplaced) add(page, at);
    }
    for (let c = from; c < to; c++) if (deletes[c] === 0) add(rows, c * ROW_WORDS);
    sortFrom(first);
  }

  /** Keys of one prefix, in the order of their entries. */
  function sortFrom(first: number): void {
    const { rows } = merged;
    for (let i = first + 1; i < merged.count; i++)
      for (let j = i; j > first && compareEntries(rows, (j - 1) * ROW_WORDS, rows, j * ROW_WORDS) > 0; j--)
        swapRows(rows, (j - 1) * ROW_WORDS, j * ROW_WORDS);
  }

  function join(left: number, right: number): void {
    begin((left === 0 ? 0 : buckets.countOf(left)) + (right === 0 ? 0 : buckets.countOf(right)));
    addAll(left);
    addAll(right);
  }

  return merged;
}

function endOfPrefix(rows: Uint32Array, at: number, from: number, to: number, offset: number): number {
  let end = from + 1;
  while (end < to && comparePrefixes(rows, at, rows, offset + end * ROW_WORDS) === 0) end += 1;
  return end;
}

function swapRows(rows: Uint32Array, a: number, b: number): void {
  for (let j = 0; j < ROW_WORDS; j++) {
    const word = rows[a + j] as number;
    rows[a + j] = rows[b + j] as number;
    rows[b + j] = word;
  }
}
