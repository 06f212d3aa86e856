/** A list of 32-bit integers that stays allocated for the next use. */
export interface IntList {
  values: Int32Array;
  length: number;
}

const FIRST_LENGTH = 256;

export function createIntList(): IntList {
  return { values: new Int32Array(FIRST_LENGTH), length: 0 };
}

export function push(list: IntList, value: number): void {
  if (list.length === list.values.length) grow(list);
  list.values[list.length] = value;
  list.length += 1;
}

function grow(list: IntList): void {
  const grown = new Int32Array(2 * list.values.length);
  grown.set(list.values);
  list.values = grown;
}
