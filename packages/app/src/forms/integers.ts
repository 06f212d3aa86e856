/** Unsigned integers: numbers up to 2^53 - 1, and 64-bit amounts as bigints. */
import type { ScalarName } from './description.ts';
import { badBytes, badJson, badValue } from './errors.ts';
import type { Cursor, KeyForm } from './form.ts';

const TWO_32 = 2 ** 32;

export function writeUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
  bytes[at + 2] = value >>> 16;
  bytes[at + 3] = value >>> 24;
}

/** The caller sees to the length. */
export function readUint32(bytes: Uint8Array, at: number): number {
  return (
    (byteAt(bytes, at) |
      (byteAt(bytes, at + 1) << 8) |
      (byteAt(bytes, at + 2) << 16) |
      (byteAt(bytes, at + 3) << 24)) >>>
    0
  );
}

/** Big-endian. */
export function writeKeyUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** Moves the cursor behind `count` bytes. @returns where they begin */
export function take(cursor: Cursor, count: number): number {
  const { at } = cursor;
  if (cursor.bytes.length - at < count) throw badBytes('a key ends within a part');
  cursor.at = at + count;
  return at;
}

/** Below 2^53. */
function createInteger(name: ScalarName, size: number, max: number): KeyForm<number> {
  const expected = `an integer from 0 to ${max}`;
  const check = (value: number) => {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > max)
      throw badValue(value, expected);
  };
  return {
    description: { form: name },
    fixedBytes: size,
    bytesMax: size,
    depth: 0,
    sizeOf: () => size,
    write(bytes, at, value) {
      check(value);
      for (let i = 0, rest = value; i < size; i++, rest = Math.floor(rest / 256)) bytes[at + i] = rest % 256;
      return at + size;
    },
    read(bytes, at) {
      let value = 0;
      for (let i = size - 1; i >= 0; i--) value = value * 256 + byteAt(bytes, at + i);
      if (value > max) throw badBytes(`a number above ${max}`);
      return value;
    },
    toJson: (value) => value,
    fromJson(json, path) {
      if (typeof json !== 'number' || !Number.isInteger(json) || json < 0 || json > max)
        throw badJson(json, expected, path);
      return json === 0 ? 0 : json;
    },
    keyFixedBytes: size,
    keyBytesMax: size,
    keySizeOf: () => size,
    writeKey(bytes, at, value) {
      check(value);
      for (let i = size - 1, rest = value; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[at + i] = rest % 256;
      return at + size;
    },
    readKey(cursor) {
      const from = take(cursor, size);
      let value = 0;
      for (let i = 0; i < size; i++) value = value * 256 + byteAt(cursor.bytes, from + i);
      if (value > max) throw badBytes(`a number above ${max}`);
      return value;
    },
  };
}

export const u8 = createInteger('u8', 1, 255);
export const u16 = createInteger('u16', 2, 65_535);
export const u32 = createInteger('u32', 4, TWO_32 - 1);
/** Milliseconds since 1970; 8 bytes. */
export const timeMs = createInteger('timeMs', 8, Number.MAX_SAFE_INTEGER);

const AMOUNT_MAX = (1n << 64n) - 1n;
const AMOUNT_DIGITS_MAX = 20;
const AMOUNT_EXPECTED = 'a decimal number from 0 to 2^64 - 1';

/** From 0 to 2^64 - 1. In JSON a decimal string; a bigint counts too, as TypeScript callers have it. */
export const amount: KeyForm<bigint> = {
  description: { form: 'amount' },
  fixedBytes: 8,
  bytesMax: 8,
  depth: 0,
  sizeOf: () => 8,
  write(bytes, at, value) {
    checkAmount(value);
    words.setBigUint64(0, value, true);
    writeUint32(bytes, at, words.getUint32(0, true));
    writeUint32(bytes, at + 4, words.getUint32(4, true));
    return at + 8;
  },
  read: (bytes, at) => amountFrom(readUint32(bytes, at + 4), readUint32(bytes, at)),
  toJson: (value) => String(value),
  fromJson(json, path) {
    const value = typeof json === 'string' ? parseAmount(json) : json;
    if (typeof value !== 'bigint' || value < 0n || value > AMOUNT_MAX) throw badJson(json, AMOUNT_EXPECTED, path);
    return value;
  },
  keyFixedBytes: 8,
  keyBytesMax: 8,
  keySizeOf: () => 8,
  writeKey(bytes, at, value) {
    checkAmount(value);
    words.setBigUint64(0, value, true);
    writeKeyUint32(bytes, at, words.getUint32(4, true));
    writeKeyUint32(bytes, at + 4, words.getUint32(0, true));
    return at + 8;
  },
  readKey: (cursor) => amountFrom(u32.readKey(cursor), u32.readKey(cursor)),
};

function checkAmount(value: bigint): void {
  if (typeof value !== 'bigint' || value < 0n || value > AMOUNT_MAX) throw badValue(value, AMOUNT_EXPECTED);
}

/** An amount between its two halves: shifts of bigints would make one or two others. */
const words = new DataView(new Uint32Array([0, 0]).buffer);

function amountFrom(high: number, low: number): bigint {
  words.setUint32(0, low, true);
  words.setUint32(4, high, true);
  return words.getBigUint64(0, true);
}

function parseAmount(text: string): bigint | undefined {
  if (text === '' || text.length > AMOUNT_DIGITS_MAX || (text.startsWith('0') && text !== '0')) return undefined;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 0x30 || text.charCodeAt(i) > 0x39) return undefined;
  return BigInt(text);
}
