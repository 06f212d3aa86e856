/** Values too large for a cell, by number. Freed numbers are reused. */
export interface LargeValues {
  /** Stores a copy of `words[at, at + count)`. */
  add(words: Int32Array, at: number, count: number): number;
  get(number: number): Int32Array;
  free(number: number): void;
  readonly bytes: number;
}

export function createLargeValues(): LargeValues {
  const values: (Int32Array | undefined)[] = [];
  const freed: number[] = [];
  let bytes = 0;

  return {
    add(words, at, count) {
      const number = freed.pop() ?? values.length;
      values[number] = words.slice(at, at + count);
      bytes += count * 4;
      return number;
    },
    get: (number) => values[number] as Int32Array,
    free(number) {
      bytes -= (values[number] as Int32Array).byteLength;
      values[number] = undefined;
      freed.push(number);
    },
    get bytes() {
      return bytes;
    },
  };
}
