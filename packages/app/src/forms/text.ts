/** Text and bytes of varying size. */
import { bytesOfHex, hexOf } from './byte-text.ts';
import { badBytes, badDefinition, badJson, badValue } from './errors.ts';
import { type Cursor, checkBytesMax, type KeyForm } from './form.ts';
import { readUtf8, utf8Size, writeUtf8 } from './utf8.ts';

/** @param bytesMax of its UTF-8 */
export function text(bytesMax: number): KeyForm<string> {
  checkMax(bytesMax, 'text');
  const expected = `text of at most ${bytesMax} bytes in UTF-8`;
  const sizeOf = (value: string) => {
    // Shorter than its bytes: a long text costs nothing here.
    const size = typeof value === 'string' && value.length <= bytesMax ? utf8Size(value) : undefined;
    if (size === undefined || size > bytesMax) throw badValue(value, expected);
    return size;
  };
  const bytesOf = (value: string) => {
    const bytes = new Uint8Array(sizeOf(value));
    writeUtf8(bytes, 0, value);
    return bytes;
  };
  return {
    description: { form: 'text', bytesMax },
    fixedBytes: undefined,
    bytesMax,
    depth: 0,
    sizeOf,
    write: (bytes, at, value) => writeUtf8(bytes, at, value),
    read(bytes, at, end) {
      if (end - at > bytesMax) throw badBytes(`a text of ${end - at} bytes, at most ${bytesMax}`);
      return readUtf8(bytes, at, end);
    },
    toJson: (value) => value,
    fromJson(json, path) {
      const size = typeof json === 'string' && json.length <= bytesMax ? utf8Size(json) : undefined;
      if (typeof json !== 'string' || size === undefined || size > bytesMax) throw badJson(json, expected, path);
      return json;
    },
    keyFixedBytes: undefined,
    keyBytesMax: keyBytesMax(bytesMax),
    keySizeOf: (value) => keySize(bytesOf(value)),
    writeKey: (bytes, at, value) => writeKeyBytes(bytes, at, bytesOf(value)),
    readKey(cursor) {
      const bytes = readKeyBytes(cursor, bytesMax);
      return readUtf8(bytes, 0, bytes.length);
    },
  };
}

/** In JSON 0x and hexadecimal. */
export function bytes(bytesMax: number): KeyForm<Uint8Array> {
  checkMax(bytesMax, 'bytes');
  const sizeOf = (value: Uint8Array) => {
    if (!isBytes(value) || value.length > bytesMax) throw badValue(value, `a Uint8Array of at most ${bytesMax} bytes`);
    return value.length;
  };
  return {
    description: { form: 'bytes', bytesMax },
    fixedBytes: undefined,
    bytesMax,
    depth: 0,
    sizeOf,
    write(target, at, value) {
      target.set(value, at);
      return at + value.length;
    },
    read(source, at, end) {
      if (end - at > bytesMax) throw badBytes(`${end - at} bytes, at most ${bytesMax}`);
      return copyOf(source, at, end);
    },
    toJson: (value) => hexOf(value.length, (i) => value[i] ?? 0),
    fromJson(json, path) {
      const value = bytesOfHex(json, bytesMax);
      if (value === undefined) throw badJson(json, `0x and digits of 0-9 and a-f, at most ${bytesMax} bytes`, path);
      return value;
    },
    keyFixedBytes: undefined,
    keyBytesMax: keyBytesMax(bytesMax),
    keySizeOf(value) {
      sizeOf(value);
      return keySize(value);
    },
    writeKey: (target, at, value) => writeKeyBytes(target, at, value),
    readKey: (cursor) => readKeyBytes(cursor, bytesMax),
  };
}

function checkMax(bytesMax: number, what: string): void {
  if (!Number.isInteger(bytesMax) || bytesMax < 1) throw badDefinition(`${what} needs its size, at least 1 byte`);
  checkBytesMax(bytesMax);
}

/** Not by `instanceof`: an array may come from another realm. */
function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && 'BYTES_PER_ELEMENT' in value && value.BYTES_PER_ELEMENT === 1;
}

/** An array of this realm, wherever the source is from. */
function copyOf(source: Uint8Array, at: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - at);
  for (let i = at; i < end; i++) copy[i - at] = source[i] ?? 0;
  return copy;
}

const END_BYTES = 2;
const ZERO_INSIDE = 1;

function keyBytesMax(bytesMax: number): number {
  return 2 * bytesMax + END_BYTES;
}

function keySize(value: Uint8Array): number {
  let size = value.length + END_BYTES;
  for (let i = 0; i < value.length; i++) if (value[i] === 0) size += 1;
  return size;
}

function writeKeyBytes(target: Uint8Array, start: number, value: Uint8Array): number {
  let at = start;
  for (let i = 0; i < value.length; i++) {
    const byte = value[i] ?? 0;
    target[at] = byte;
    at += 1;
    if (byte !== 0) continue;
    target[at] = ZERO_INSIDE;
    at += 1;
  }
  target[at] = 0;
  target[at + 1] = 0;
  return at + END_BYTES;
}

function readKeyBytes(cursor: Cursor, bytesMax: number): Uint8Array {
  const value: number[] = [];
  for (;;) {
    const byte = cursor.bytes[cursor.at];
    const next = cursor.bytes[cursor.at + 1];
    if (byte === undefined || value.length > bytesMax) break;
    cursor.at += byte === 0 ? 2 : 1;
    if (byte === 0 && next === 0) return Uint8Array.from(value);
    if (byte === 0 && next !== ZERO_INSIDE) break;
    value.push(byte);
  }
  throw badBytes('a key ends within a part');
}
