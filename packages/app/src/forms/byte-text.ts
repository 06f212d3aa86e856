/** Strings with one byte in each character: compared by ===, ordered by <, and usable as keys of a Map, as arrays of bytes are not. */

/** Characters made in one call: each by itself takes ten times as long, and a call takes all as arguments. */
const PIECE = 64;

/** The caller sees to it that there are so many bytes. */
export function byteTextFrom(bytes: Uint8Array, at: number, end: number): string {
  const { fromCharCode } = String;
  if (end - at <= PIECE) return fromCharCode.apply(undefined, piece(bytes, at, end));
  let text = '';
  for (let i = at; i < end; i += PIECE)
    text += fromCharCode.apply(undefined, piece(bytes, i, Math.min(end, i + PIECE)));
  return text;
}

/** `apply` takes anything with a length. */
function piece(bytes: Uint8Array, at: number, end: number): number[] {
  return bytes.subarray(at, end) as unknown as number[];
}

/** The caller sees to it that there are as many bytes as it takes. */
const fromCharCode = String.fromCharCode as (...codes: readonly (number | undefined)[]) => string;

/**
 * The 32 bytes from `at`. Arguments by name: `apply` needs a part of the array, which takes longer than all else here, since an array of few bytes
 * has no memory of its own before.
 */
export function byteText32(b: Uint8Array, at: number): string {
  // biome-ignore format: a row of eight
  return fromCharCode(
    b[at], b[at + 1], b[at + 2], b[at + 3], b[at + 4], b[at + 5], b[at + 6], b[at + 7],
    b[at + 8], b[at + 9], b[at + 10], b[at + 11], b[at + 12], b[at + 13], b[at + 14], b[at + 15],
    b[at + 16], b[at + 17], b[at + 18], b[at + 19], b[at + 20], b[at + 21], b[at + 22], b[at + 23],
    b[at + 24], b[at + 25], b[at + 26], b[at + 27], b[at + 28], b[at + 29], b[at + 30], b[at + 31],
  );
}

/** The 33 bytes from `at`; in one call too: two parts put together would be copied when they are read. */
export function byteText33(b: Uint8Array, at: number): string {
  // biome-ignore format: a row of eight
  return fromCharCode(
    b[at], b[at + 1], b[at + 2], b[at + 3], b[at + 4], b[at + 5], b[at + 6], b[at + 7],
    b[at + 8], b[at + 9], b[at + 10], b[at + 11], b[at + 12], b[at + 13], b[at + 14], b[at + 15],
    b[at + 16], b[at + 17], b[at + 18], b[at + 19], b[at + 20], b[at + 21], b[at + 22], b[at + 23],
    b[at + 24], b[at + 25], b[at + 26], b[at + 27], b[at + 28], b[at + 29], b[at + 30], b[at + 31],
    b[at + 32],
  );
}

export function isByteText(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0xff) return false;
  return true;
}

/** @returns where it ends */
export function writeByteText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** @returns false for a character that is no byte; what was written is of no use then */
export function wroteByteText(bytes: Uint8Array, at: number, text: string): boolean {
  let codes = 0;
  let i = 0;
  // Four in a step, since each step pays a tick.
  for (; i + 3 < text.length; i += 4) {
    const a = text.charCodeAt(i);
    const b = text.charCodeAt(i + 1);
    const c = text.charCodeAt(i + 2);
    const d = text.charCodeAt(i + 3);
    bytes[at + i] = a;
    bytes[at + i + 1] = b;
    bytes[at + i + 2] = c;
    bytes[at + i + 3] = d;
    codes |= a | b | c | d;
  }
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    bytes[at + i] = code;
    codes |= code;
  }
  return codes <= 0xff;
}

export function bytesOfText(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  writeByteText(bytes, 0, text);
  return bytes;
}

const DIGITS = '0123456789abcdef';

/** 0x and lower-case hexadecimal, of bytes or of one byte a character. */
export function hexOf(length: number, byteAt: (i: number) => number): string {
  let text = '0x';
  for (let i = 0; i < length; i++) {
    const byte = byteAt(i);
    text += DIGITS.charAt(byte >> 4) + DIGITS.charAt(byte & 15);
  }
  return text;
}

/** Undefined for other text than `hexOf` makes, and above `bytesMax`. */
export function bytesOfHex(text: unknown, bytesMax: number): Uint8Array | undefined {
  if (typeof text !== 'string' || !text.startsWith('0x') || text.length % 2 !== 0) return undefined;
  const length = (text.length - 2) / 2;
  if (length > bytesMax) return undefined;
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const high = DIGITS.indexOf(text.charAt(2 + 2 * i));
    const low = DIGITS.indexOf(text.charAt(3 + 2 * i));
    if (high < 0 || low < 0) return undefined;
    bytes[i] = 16 * high + low;
  }
  return bytes;
}
