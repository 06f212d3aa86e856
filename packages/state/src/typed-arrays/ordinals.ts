/** Sorts the ordinals of one batch at a time, in reused memory. */
import { clear, createGrowingList, type GrowingList } from './growing-list.ts';

export interface Ordinals {
  readonly list: GrowingList;
  /** The values of the list in ascending order; none may be negative. Valid until the next `begin`. */
  sorted(): Int32Array;
  begin(): void;
}

/** Below this, the built-in sort is as fast. */
const RADIX_FROM = 1024;
const RADIX_BITS = 11;
const RADIX = 1 << RADIX_BITS;
/** Above 1 MiB, memory is not reused. */
const REUSED_MAX = 262_144;

/** Radix sort, which is much faster than the built-in sort. */
export function createOrdinals(): Ordinals {
  const list = createGrowingList();
  const next = new Int32Array(RADIX + 1);
  let spare: Int32Array = new Int32Array(0);

  function sorted(): Int32Array {
    const { length } = list;
    if (length < RADIX_FROM) return list.values.subarray(0, length).sort();
    let largest = 0;
    for (let i = 0; i < length; i++) largest = Math.max(largest, list.values[i] as number);
    for (let shift = 0; shift === 0 || (shift < 32 && largest >>> shift > 0); shift += RADIX_BITS) {
      if (spare.length < length) spare = new Int32Array(list.values.length);
      sortByDigit(list.values, spare, length, shift, next);
      [list.values, spare] = [spare, list.values];
    }
    return list.values.subarray(0, length);
  }

  return {
    list,
    sorted,
    begin() {
      list.length = 0;
      if (list.values.length > REUSED_MAX) clear(list, 0);
      if (spare.length > REUSED_MAX) spare = new Int32Array(0);
    },
  };
}

function sortByDigit(from: Int32Array, to: Int32Array, length: number, shift: number, next: Int32Array): void {
  next.fill(0);
  for (let i = 0; i < length; i++) {
    const above = (((from[i] as number) >>> shift) & (RADIX - 1)) + 1;
    next[above] = (next[above] as number) + 1;
  }
  for (let digit = 1; digit < RADIX; digit++) next[digit] = (next[digit] as number) + (next[digit - 1] as number);
  for (let i = 0; i < length; i++) {
    const digit = ((from[i] as number) >>> shift) & (RADIX - 1);
    to[next[digit] as number] = from[i] as number;
    next[digit] = (next[digit] as number) + 1;
  }
}
