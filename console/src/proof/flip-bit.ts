/** Changes one bit of a proof, to show that the verification refuses it. */

export interface Flipped<T> {
  readonly value: T;
  /** Null: nothing was changed. */
  readonly bit: number | null;
}

/** Of the hexadecimal texts in `value`, counted together: a serialization, or JSON. `bit`: default any. */
export function flipBit<T>(value: T, bit = Math.floor(Math.random() * bitsOf(value))): Flipped<T> {
  let before = 0;
  const changed = mapTexts(value, (text) => {
    const at = bit - before;
    before += bitsOf(text);
    return at >= 0 && at < bitsOf(text) ? flipped(text, at) : text;
  });
  return { value: changed as T, bit };
}

const HEX = /^0x[0-9a-f]+$/;

export function bitsOf(value: unknown): number {
  let bits = 0;
  mapTexts(value, (text) => {
    bits += (text.length - 2) * 4;
    return text;
  });
  return bits;
}

function flipped(text: string, bit: number): string {
  const at = 2 + Math.floor(bit / 4);
  const digit = Number.parseInt(text.charAt(at), 16) ^ (1 << (bit % 4));
  return `${text.slice(0, at)}${digit.toString(16)}${text.slice(at + 1)}`;
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return HEX.test(value) ? map(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, map));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, map)]));
}
