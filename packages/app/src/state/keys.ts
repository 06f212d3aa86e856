/** Keys of tables: one value, or a list of parts. */
import { badBytes, badDefinition, badJson, badValue } from '../forms/errors.ts';
import type { Cursor, Json, KeyForm, Of } from '../forms/form.ts';

export type KeyForms = KeyForm<unknown> | readonly KeyForm<unknown>[];

export type KeyOf<K extends KeyForms> = K extends readonly KeyForm<unknown>[]
  ? { readonly [I in keyof K]: Of<K[I]> }
  : Of<K>;

/** Says which entry an action will touch. */
export interface Key {
  readonly number: number;
}

export interface KeyCodec<Key> {
  readonly parts: readonly KeyForm<unknown>[];
  /** One value by itself, not a list of one. */
  readonly isSingle: boolean;
  /** Undefined where sizes differ. */
  readonly fixedBytes: number | undefined;
  readonly bytesMax: number;
  sizeOf(key: Key): number;
  /** Into an array that has anything in it. @returns where the key ends */
  write(bytes: Uint8Array, at: number, key: Key): number;
  /** @param spare bytes before the key, for a prefix */
  encode(key: Key, spare: number): Uint8Array;
  /** Of all bytes from `at`. */
  decode(bytes: Uint8Array, at: number): Key;
  toJson(key: Key): Json;
  fromJson(json: unknown, path: string): Key;
}

const PARTS_MAX = 8;

export function keyCodec<K extends KeyForms>(forms: K): KeyCodec<KeyOf<K>> {
  return keyCodecOfParts(partsOf(forms), !Array.isArray(forms)) as KeyCodec<KeyOf<K>>;
}

/** A cell's key has no parts. */
export function keyCodecOfParts(parts: readonly KeyForm<unknown>[], isSingle: boolean): KeyCodec<unknown> {
  if (parts.length > PARTS_MAX) throw badDefinition(`a key has at most ${PARTS_MAX} parts`);
  if (isSingle && parts.length !== 1) throw badDefinition('a single key has one part');
  if (parts.some((part) => part.writeKey === undefined))
    throw badDefinition('keys are made of numbers, amounts, accounts, ids, names, text and bytes');
  const fixed = fixedBytesOf(parts);
  const valuesOf = (key: unknown): readonly unknown[] => {
    if (isSingle) return [key];
    if (!Array.isArray(key) || key.length !== parts.length) throw badValue(key, `a key of ${parts.length} parts`);
    return key;
  };
  const keyOf = (values: readonly unknown[]): unknown => (isSingle ? values[0] : values);
  const sizeOf = (key: unknown): number => fixed ?? sizeOfParts(parts, valuesOf(key));
  const write = (bytes: Uint8Array, start: number, key: unknown): number => {
    if (isSingle) return partAt(parts, 0).writeKey(bytes, start, key);
    const values = valuesOf(key);
    let at = start;
    for (let i = 0; i < parts.length; i++) at = partAt(parts, i).writeKey(bytes, at, values[i]);
    return at;
  };
  return {
    parts,
    isSingle,
    fixedBytes: fixed,
    bytesMax: parts.reduce((sum, { keyBytesMax }) => sum + keyBytesMax, 0),
    sizeOf,
    write,
    encode(key, spare) {
      const bytes = new Uint8Array(spare + sizeOf(key));
      write(bytes, spare, key);
      return bytes;
    },
    decode(bytes, at) {
      const cursor: Cursor = { bytes, at };
      const values: unknown[] = [];
      for (let i = 0; i < parts.length; i++) values.push(partAt(parts, i).readKey(cursor));
      if (cursor.at !== bytes.length) throw badBytes(`${bytes.length - cursor.at} bytes behind a key`);
      return keyOf(values);
    },
    toJson(key) {
      const json = valuesOf(key).map((value, i) => partAt(parts, i).toJson(value));
      return isSingle ? (json[0] ?? null) : json;
    },
    fromJson(json, path) {
      if (isSingle) return partAt(parts, 0).fromJson(json, path);
      if (!Array.isArray(json) || json.length !== parts.length) throw badJson(json, `${parts.length} parts`, path);
      return json.map((value, i) => partAt(parts, i).fromJson(value, `${path}[${i}]`));
    },
  };
}

function partsOf(forms: KeyForms): readonly KeyForm<unknown>[] {
  return 'writeKey' in forms ? [forms] : forms;
}

function fixedBytesOf(parts: readonly KeyForm<unknown>[]): number | undefined {
  let sum = 0;
  for (const { keyFixedBytes } of parts) {
    if (keyFixedBytes === undefined) return undefined;
    sum += keyFixedBytes;
  }
  return sum;
}

function sizeOfParts(parts: readonly KeyForm<unknown>[], values: readonly unknown[]): number {
  let size = 0;
  for (let i = 0; i < parts.length; i++) size += partAt(parts, i).keySizeOf(values[i]);
  return size;
}

function partAt(parts: readonly KeyForm<unknown>[], i: number): KeyForm<unknown> {
  return parts[i] as KeyForm<unknown>;
}
