/**
 * A form describes the values of a field: its bytes, its JSON, its size, and all of that as data.
 *
 * There are two encodings:
 * - Values (inputs, events, answers, entries of tables) are SSZ: numbers little-endian, fields in order, parts of varying size behind
 *   offsets of four bytes. Each value has exactly one encoding, and reading refuses all other bytes. `oneOf` is a uint8, `option` the
 *   union of nothing and its form, `choice` a union of containers, text a list of bytes. So built-in actions can be described by forms.
 * - Keys are made to be ordered: numbers big-endian, parts one after another, so that the order of bytes is the order of values, first
 *   part first. Text and bytes end with two zeros, and a zero inside is followed by a one.
 *
 * Sizes are known before bytes are written, so there is no buffer that grows: what an action costs in ticks does not depend on the
 * actions before it.
 */
import type { FormDescription } from './description.ts';
import { badBytes, badDefinition, FormError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** Bytes and JSON of values. */
export interface Encoding<T> {
  /** Of each value; undefined where sizes differ. */
  readonly fixedBytes: number | undefined;
  readonly bytesMax: number;
  /** How deeply forms are nested in it. */
  readonly depth: number;
  /** The size of the encoding. Throws `bad-value` unless the value has one, except for what `write` refuses. */
  sizeOf(value: T): number;
  /** @returns where the encoding ends. Throws `bad-value`. */
  write(bytes: Uint8Array, at: number, value: T): number;
  /** Reads a value from all bytes between. The caller sees to `fixedBytes`. Throws `bad-bytes`. */
  read(bytes: Uint8Array, at: number, end: number): T;
  toJson(value: T): Json;
  /** Throws `bad-json` with the path. */
  fromJson(json: unknown, path: string): T;
}

type Bytes<T> = Pick<Encoding<T>, 'fixedBytes' | 'sizeOf' | 'write' | 'read'>;

export interface Form<T> extends Encoding<T> {
  readonly description: FormDescription;
}

/** Of values that keys are made of. */
export interface KeyForm<T> extends Form<T> {
  /** As `fixedBytes`. */
  readonly keyFixedBytes: number | undefined;
  readonly keyBytesMax: number;
  keySizeOf(value: T): number;
  writeKey(bytes: Uint8Array, at: number, value: T): number;
  readKey(cursor: Cursor): T;
}

export interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** The type of a form's values. */
export type Of<F> = F extends Form<infer T> ? T : never;

export type Fields = { readonly [name: string]: Form<unknown> };
export type RecordOf<F extends Fields> = { readonly [K in keyof F]: Of<F[K]> };

/** Readers of manifests recurse so deep at most. */
export const DEPTH_MAX = 16;
/** Offsets have 32 bits, and sizes are signed in some of the functions here. */
const FORM_BYTES_MAX = 2 ** 31 - 1;

export function depthAbove(forms: readonly Encoding<unknown>[]): number {
  let deepest = 0;
  for (const { depth } of forms) deepest = Math.max(deepest, depth);
  if (deepest === DEPTH_MAX) throw badDefinition(`forms are nested more than ${DEPTH_MAX} deep`);
  return deepest + 1;
}

export function checkBytesMax(bytesMax: number): number {
  if (bytesMax > FORM_BYTES_MAX)
    throw badDefinition(`a value may have ${bytesMax} bytes, the limit is ${FORM_BYTES_MAX}`);
  return bytesMax;
}

/** @param spare bytes before the encoding, for a prefix */
export function encode<T>(form: Bytes<T>, value: T, spare = 0): Uint8Array {
  const bytes = new Uint8Array(spare + (form.fixedBytes ?? form.sizeOf(value)));
  form.write(bytes, spare, value);
  return bytes;
}

/**
 * As `encode`, into an array that has anything in it.
 *
 * @returns where it ends
 */
export function encodeInto<T>(form: Bytes<T>, value: T, bytes: Uint8Array, at: number, size: number): number {
  const end = at + size;
  // Only forms of one size are known to write each byte: an item may be missing in an application's list.
  if (form.fixedBytes === undefined) bytes.fill(0, at, end);
  form.write(bytes, at, value);
  return end;
}

/** Of all bytes from `at`. */
export function decode<T>(form: Bytes<T>, bytes: Uint8Array, at = 0, end = bytes.length): T {
  return readAll(form, bytes, at, end);
}

export function readAll<T>(form: Bytes<T>, bytes: Uint8Array, at: number, end: number): T {
  if (form.fixedBytes !== undefined && end - at !== form.fixedBytes)
    throw badBytes(`${end - at} bytes where a value has ${form.fixedBytes}`);
  return form.read(bytes, at, end);
}

/** Such as `transfer`'s input from the body of a request. Throws `FormError` with the path. */
export function encodeJson<T>(form: Encoding<T>, json: unknown, path: string): Uint8Array {
  const value = form.fromJson(json, path);
  return encode(form, value);
}

export function isFormError(error: unknown, code: FormError['code']): boolean {
  return error instanceof FormError && error.code === code;
}
