/** Bytes and JSON of numbers, byte strings and accounts. */
import { badBytes, badJson, badValue, type Encoding, readUint32, u32, writeUint32 } from '@slipstream/app/forms';
import { fromHex, type PeerKey, to0x, toHex } from '@slipstream/primitives';
import { ACCOUNT_SCHEMES, type AccountKey, accountKeyText, parseAccountKey, schemeOf } from '../account.ts';
import { ED25519_PUBLIC_KEY_BYTES } from '../limits.ts';
import { GRANTABLE_ACTIONS, type GrantableAction, isScope, scopeActions, scopeOf } from '../session/scope.ts';

/** Behind the scheme and the key's offset. */
const KEY_AT = 5;
const ACCOUNT_BYTES = KEY_AT + ED25519_PUBLIC_KEY_BYTES;

/** Scheme, an offset, the key: SSZ has it of varying size. */
export const accountForm: Encoding<AccountKey> = {
  fixedBytes: undefined,
  bytesMax: ACCOUNT_BYTES,
  depth: 0,
  sizeOf: () => ACCOUNT_BYTES,
  write(bytes, at, { scheme, bytes: key }) {
    const number = ACCOUNT_SCHEMES[scheme];
    if (number === undefined || key.length !== ED25519_PUBLIC_KEY_BYTES) throw badValue(key, 'an account key');
    bytes[at] = number;
    writeUint32(bytes, at + 1, KEY_AT);
    bytes.set(key, at + KEY_AT);
    return at + ACCOUNT_BYTES;
  },
  read(bytes, at, end) {
    const scheme = schemeOf(bytes[at] as number);
    if (end - at !== ACCOUNT_BYTES || readUint32(bytes, at + 1) !== KEY_AT)
      throw badBytes(`an account key has ${ED25519_PUBLIC_KEY_BYTES} bytes behind its scheme`);
    if (scheme === undefined) throw badBytes(`unknown account scheme ${bytes[at]}`);
    return { scheme, bytes: copyOf(bytes, at + KEY_AT, end) };
  },
  toJson: accountKeyText,
  fromJson(json, path) {
    const read = typeof json === 'string' ? parseAccountKey(json) : undefined;
    if (read?.ok !== true) throw badJson(json, 'an account: 0x, its scheme and 32 bytes', path);
    return read.value;
  },
};

export function fixedBytesForm(size: number): Encoding<Uint8Array> {
  return {
    fixedBytes: size,
    bytesMax: size,
    depth: 0,
    sizeOf: () => size,
    write(bytes, at, value) {
      if (value.length !== size) throw badValue(value, `a string of ${size} bytes`);
      bytes.set(value, at);
      return at + size;
    },
    read: copyOf,
    toJson: to0x,
    fromJson(json, path) {
      const bytes = bytesOfHex(json);
      if (bytes?.length !== size) throw badJson(json, `0x and ${2 * size} hexadecimal digits`, path);
      return bytes;
    },
  };
}

const keyForm = fixedBytesForm(ED25519_PUBLIC_KEY_BYTES);

export const peerKeyForm: Encoding<PeerKey> = {
  ...keyForm,
  sizeOf: () => ED25519_PUBLIC_KEY_BYTES,
  write: (bytes, at, value) => keyForm.write(bytes, at, fromHex(value)),
  read: (bytes, at, end) => toHex(bytes.subarray(at, end)) as PeerKey,
  toJson: (value) => `0x${value}`,
  fromJson: (json, path) => toHex(keyForm.fromJson(json, path)) as PeerKey,
};

export function bytesForm(bytesMax: number): Encoding<Uint8Array> {
  const expected = `0x and an even number of hexadecimal digits, at most ${bytesMax} bytes`;
  return {
    fixedBytes: undefined,
    bytesMax,
    depth: 0,
    sizeOf(value) {
      if (value.length > bytesMax) throw badValue(value, `a string of at most ${bytesMax} bytes`);
      return value.length;
    },
    write(target, at, value) {
      target.set(value, at);
      return at + value.length;
    },
    read(source, at, end) {
      if (end - at > bytesMax) throw badBytes(`${end - at} bytes, at most ${bytesMax}`);
      return copyOf(source, at, end);
    },
    toJson: to0x,
    fromJson(json, path) {
      const value = bytesOfHex(json);
      if (value === undefined || value.length > bytesMax) throw badJson(json, expected, path);
      return value;
    },
  };
}

const SCOPE_NAMES = Object.keys(GRANTABLE_ACTIONS);

/** Of a session: bits on the wire, names in JSON. */
export const scopeForm: Encoding<number> = {
  ...u32,
  read(bytes, at, end) {
    const value = u32.read(bytes, at, end);
    if (!isScope(value)) throw badBytes('a scope names at least one action, and only those that sessions may do');
    return value;
  },
  toJson: scopeActions,
  fromJson(json, path) {
    const expected = `some of ${SCOPE_NAMES.join(', ')}`;
    if (!Array.isArray(json) || json.length === 0 || json.length > SCOPE_NAMES.length)
      throw badJson(json, expected, path);
    json.forEach((name, i) => {
      if (!SCOPE_NAMES.includes(name)) throw badJson(name, expected, `${path}[${i}]`);
    });
    return scopeOf(json as readonly GrantableAction[]);
  },
};

function bytesOfHex(json: unknown): Uint8Array | undefined {
  return typeof json === 'string' && /^0x([0-9a-fA-F]{2})*$/.test(json) ? fromHex(json) : undefined;
}

/** A copy: a transaction may outlive its chunk. `slice` of Node's buffers shares memory. */
function copyOf(source: Uint8Array, at: number, end: number): Uint8Array {
  return Uint8Array.prototype.slice.call(source, at, end);
}
