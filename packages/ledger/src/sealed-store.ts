/**
 * Sealed values carry the first bytes of SHA-256(key || value). So a read reports a flipped bit or a value under another key, and never
 * returns it.
 */
import type { KeyRange, KeyValue, KeyValueEntry, KeyValueOperation } from '@slipstream/ports';
import { type Codec, concatBytes, sha256, to0x } from '@slipstream/primitives';
import { type Body, type BodyReader, bodyIn } from './bodies.ts';
import { LedgerError } from './errors.ts';
import { keyOf, TABLE_NAMES } from './keys.ts';

/** Random damage passes with chance 2^-64. */
const SEAL_BYTES = 8;

export interface SealedStore {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  range(range: KeyRange): Promise<readonly KeyValueEntry[]>;
  /** Raw entries, for tables whose values carry their own check. */
  unsealed(range: KeyRange): Promise<readonly KeyValueEntry[]>;
  /** Decodes the value; undefined when the key is missing. */
  read<T>(key: Uint8Array, codec: Codec<T>): Promise<T | undefined>;
  /** Undefined where it is not here, or damaged in its file. */
  bodies(blockIds: readonly Uint8Array[]): Promise<readonly (Body | undefined)[]>;
}

export function putSealed(key: Uint8Array, value: Uint8Array): KeyValueOperation {
  return { type: 'put', key, value: concatBytes(value, sealOf(key, value)) };
}

export function corrupt(key: Uint8Array, what: string): LedgerError {
  const table = TABLE_NAMES.get(key[0] ?? -1) ?? 'unknown';
  const text = to0x(key.subarray(1));
  return new LedgerError('corrupt', `ledger: ${what} in table ${table} under ${text}: restore or sync again`, {
    table,
    key: text,
  });
}

/** Throws LedgerError `corrupt`. */
export function decodeOr<T>(key: Uint8Array, codec: Codec<T>, bytes: Uint8Array): T {
  const decoded = codec.decode(bytes);
  if (!decoded.ok) throw corrupt(key, `${codec.name} does not decode (${decoded.error.message})`);
  return decoded.value;
}

/** `files`: of bodies; undefined: there are none. */
export function createSealedStore(keyValue: KeyValue, files?: BodyReader): SealedStore {
  async function get(key: Uint8Array): Promise<Uint8Array | undefined> {
    const sealed = await keyValue.get(key);
    return sealed && unseal(key, sealed);
  }

  async function getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const values = await keyValue.getMany(keys);
    return values.map((sealed, index) => sealed && unseal(keys[index] as Uint8Array, sealed));
  }

  async function range(bounds: KeyRange): Promise<readonly KeyValueEntry[]> {
    const entries = await keyValue.range(bounds);
    return entries.map(({ key, value }) => ({ key, value: unseal(key, value) }));
  }

  async function read<T>(key: Uint8Array, codec: Codec<T>): Promise<T | undefined> {
    const bytes = await get(key);
    return bytes && decodeOr(key, codec, bytes);
  }

  /** In the store first: small ones are there. */
  async function bodies(blockIds: readonly Uint8Array[]): Promise<readonly (Body | undefined)[]> {
    const here = await getMany(blockIds.map(bodyKey));
    return Promise.all(blockIds.map(async (id, at) => bodyOf(id, here[at] ?? (await files?.get(id)))));
  }

  return { get, getMany, range, unsealed: (bounds) => keyValue.range(bounds), read, bodies };
}

export function bodyKey(blockId: Uint8Array): Uint8Array {
  return keyOf('body', blockId);
}

function bodyOf(blockId: Uint8Array, bytes: Uint8Array | undefined): Body | undefined {
  const body = bytes && bodyIn(bytes);
  if (bytes !== undefined && body === undefined) throw corrupt(bodyKey(blockId), 'a body that does not decode');
  return body;
}

function sealOf(key: Uint8Array, value: Uint8Array): Uint8Array {
  return sha256(concatBytes(key, value)).subarray(0, SEAL_BYTES);
}

function unseal(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const end = sealed.length - SEAL_BYTES;
  if (end < 0) throw corrupt(key, 'a value without its checksum');
  const value = sealed.subarray(0, end);
  const seal = sealOf(key, value);
  for (let i = 0; i < SEAL_BYTES; i++) {
    if (seal[i] !== sealed[end + i]) throw corrupt(key, 'a value that disagrees with its checksum');
  }
  return value;
}
