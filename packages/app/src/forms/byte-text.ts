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
  for (let i = 0; i < text.length; i++) {
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
