/** A list of 32-bit integers off the JavaScript heap. */
export interface GrowingList {
  values: Int32Array;
  length: number;
}

const FIRST_LENGTH = 8;

export function createGrowingList(expected = 0): GrowingList {
  return { values: new Int32Array(expected), length: 0 };
}

/** Ensures capacity for `needed` values. Preserves values behind `length`. */
export function ensureCapacity(list: GrowingList, needed: number): void {
  if (needed <= list.values.length) return;
  const grown = new Int32Array(Math.max(FIRST_LENGTH, needed, Math.ceil(list.length * 1.5)));
  grown.set(list.values);
  list.values = grown;
}

export function push(list: GrowingList, value: number): void {
  if (list.length === list.values.length) ensureCapacity(list, list.length + 1);
  list.values[list.length] = value;
  list.length += 1;
}

/** `clear` frees memory above this multiple of the expected length. */
const EXCESS_MAX = 4;

/** Removes all values, and retains memory for `expected` future ones. */
export function clear(list: GrowingList, expected = list.length): void {
  if (list.values.length > EXCESS_MAX * Math.max(FIRST_LENGTH, expected)) list.values = new Int32Array(0);
  list.length = 0;
}
