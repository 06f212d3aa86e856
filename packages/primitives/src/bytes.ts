/** Byte strings. Runs in browsers too; only hexadecimal has a faster form in Node, where it makes map keys. */
import { decodeHex, encodeHex } from '#hex';
import { PrimitivesError } from './errors.ts';

/** Lower case, no prefix. */
export function toHex(bytes: Uint8Array): string {
  return encodeHex(bytes);
}

/** `0x` and lower-case hexadecimal: the external form (REST, CLI, console). */
export function to0x(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/** With or without `0x`. Throws PrimitivesError `hex-malformed`. */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith('0x') || text.startsWith('0X') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw new PrimitivesError('hex-malformed', `not hexadecimal: "${text.slice(0, 20)}"`, { length: text.length });
  }
  return decodeHex(digits);
}

export function bytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Lexicographic, a prefix first: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Throws a TypeError unless UTF-8. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function uint32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value, true);
  return bytes;
}

/** From 0 to 2^53 - 1, or as bigint to 2^64 - 1. */
export function uint64le(value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true);
  return bytes;
}
