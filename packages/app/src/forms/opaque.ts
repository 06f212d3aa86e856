/** Accounts and ids. Inside an application they are strings of one byte a character, to compare by ===; outside, hexadecimal. */
import {
  bytesOfHex,
  byteText32,
  byteText33,
  byteTextFrom,
  hexOf,
  isByteText,
  writeByteText,
  wroteByteText,
} from './byte-text.ts';
import type { FormDescription } from './description.ts';
import { badBytes, badJson, badValue } from './errors.ts';
import type { Form, KeyForm } from './form.ts';
import { take } from './integers.ts';

/** 33 bytes: the scheme, and a key, pseudonym or purse. */
export type Account = string & { readonly 'an account': true };
/** 32 bytes: of a transaction, or another hash. */
export type Id = string & { readonly 'an id': true };

/** `size` bytes. */
export function createOpaque<T extends string>(
  description: FormDescription,
  size: number,
  textOf: (bytes: Uint8Array, at: number) => string = (bytes, at) => byteTextFrom(bytes, at, at + size),
): KeyForm<T> {
  const write = (bytes: Uint8Array, at: number, value: T) => {
    if (typeof value !== 'string' || value.length !== size || !wroteByteText(bytes, at, value))
      throw badValue(value, `a string of ${size} bytes`);
    return at + size;
  };
  return {
    description,
    fixedBytes: size,
    bytesMax: size,
    depth: 0,
    sizeOf: () => size,
    write,
    read: (bytes, at) => textOf(bytes, at) as T,
    toJson: (value) => hexOf(size, (i) => value.charCodeAt(i)),
    fromJson(json, path) {
      const bytes = bytesOfHex(json, size);
      if (bytes?.length !== size) throw badJson(json, `0x and ${2 * size} digits of 0-9 and a-f`, path);
      return textOf(bytes, 0) as T;
    },
    keyFixedBytes: size,
    keyBytesMax: size,
    keySizeOf: () => size,
    writeKey: write,
    readKey(cursor) {
      return textOf(cursor.bytes, take(cursor, size)) as T;
    },
  };
}

export const account = createOpaque<Account>({ form: 'account' }, 33, byteText33);
export const id = createOpaque<Id>({ form: 'id' }, 32, byteText32);

/** Up to `bytesMax` bytes, as a string of one byte a character. Described as `bytes`. */
export function createByteText(bytesMax: number): Form<string> {
  const expected = `a string of at most ${bytesMax} bytes`;
  return {
    description: { form: 'bytes', bytesMax },
    fixedBytes: undefined,
    bytesMax,
    depth: 0,
    sizeOf(value) {
      if (!isByteText(value) || value.length > bytesMax) throw badValue(value, expected);
      return value.length;
    },
    write: writeByteText,
    read(bytes, at, end) {
      if (end - at > bytesMax) throw badBytes(`${end - at} bytes, at most ${bytesMax}`);
      return byteTextFrom(bytes, at, end);
    },
    toJson: (value) => hexOf(value.length, (i) => value.charCodeAt(i)),
    fromJson(json, path) {
      const bytes = bytesOfHex(json, bytesMax);
      if (bytes === undefined) throw badJson(json, expected, path);
      return byteTextFrom(bytes, 0, bytes.length);
    },
  };
}
