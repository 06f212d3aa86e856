/**
 * Keystores: a secret key on disk, encrypted under a password. EIP-2335, version 4.
 *
 *   password --scrypt or PBKDF2--> 32 bytes: the first 16 encrypt (AES-128-CTR), the last 16 authenticate (SHA-256)
 *
 * A chosen password gets the scrypt parameters of the standard's example (most of a second, 256 MiB) against guessing; a random one needs
 * only 4 MiB. The cost of a foreign file is bounded before it is paid.
 *
 * Source: EIP-2335, "BLS12-381 Keystore"; RFC 7914; RFC 8018.
 */
import { createCipheriv, createDecipheriv, pbkdf2Sync, scryptSync } from 'node:crypto';
import type { Random } from '@slipstream/ports';
import { bytesEqual, concatBytes, fromHex, sha256, toHex, utf8 } from '@slipstream/primitives';
import { CryptoError } from '../errors.ts';

const DERIVED_KEY_BYTES = 32;
const SALT_BYTES = 32;
const IV_BYTES = 16;
const SCRYPT = { chosen: { n: 262_144, r: 8, p: 1 }, random: { n: 4_096, r: 8, p: 1 } } as const;
/** scrypt uses 128 * n * r bytes: 1 GiB. PBKDF2: about ten seconds. */
const SCRYPT_MEMORY_BYTES_MAX = 2 ** 30;
const SCRYPT_PARALLELISM_MAX = 16;
const PBKDF2_ROUNDS_MAX = 2 ** 24;
/** A keystore has about 900 bytes. */
const KEYSTORE_BYTES_MAX = 64 * 1024;

interface EncryptKeystoreOptions {
  readonly secret: Uint8Array;
  readonly password: string;
  /** `random`: at least 128 random bits. `chosen` (default): by a person. */
  readonly passwordIs?: keyof typeof SCRYPT;
  /** Stored in hexadecimal, to find the right key without the password. */
  readonly publicKey: Uint8Array;
  readonly description?: string;
  readonly random: Pick<Random, 'bytes'>;
}

export function encryptKeystore(options: EncryptKeystoreOptions): string {
  const { secret, password, passwordIs = 'chosen', publicKey, description, random } = options;
  const cost = SCRYPT[passwordIs];
  const salt = random.bytes(SALT_BYTES);
  const iv = random.bytes(IV_BYTES);
  const derived = scrypt(normalizePassword(password), salt, cost);
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  const message = concatBytes(cipher.update(secret), cipher.final());
  const keystore = {
    crypto: {
      kdf: { function: 'scrypt', params: { dklen: DERIVED_KEY_BYTES, ...cost, salt: toHex(salt) }, message: '' },
      checksum: { function: 'sha256', params: {}, message: toHex(checksumOf(derived, message)) },
      cipher: { function: 'aes-128-ctr', params: { iv: toHex(iv) }, message: toHex(message) },
    },
    description: description ?? '',
    pubkey: toHex(publicKey),
    path: '',
    uuid: uuid(random.bytes(16)),
    version: 4,
  };
  return `${JSON.stringify(keystore, undefined, 2)}\n`;
}

/**
 * Throws CryptoError `keystore-malformed`, `keystore-unsupported` (version, function or cost not accepted) or `keystore-password` (wrong
 * checksum).
 */
export function decryptKeystore(text: string, password: string): Uint8Array {
  const keystore = parse(text);
  const version = countField(keystore, 'version');
  if (version !== 4) throw unsupported('version', version);
  const { kdf, checksum, cipher } = modulesOf(keystore);
  if (checksum.name !== 'sha256') throw unsupported('checksum', checksum.name);
  if (cipher.name !== 'aes-128-ctr') throw unsupported('cipher', cipher.name);
  const iv = hexField(cipher.params, 'iv');
  if (iv.length !== IV_BYTES) throw malformed(`the cipher's iv has ${iv.length} bytes`);

  const derived = derive(kdf, normalizePassword(password));
  if (!bytesEqual(checksumOf(derived, cipher.message), checksum.message)) {
    throw new CryptoError('keystore-password', 'wrong password: the checksum of the keystore does not match');
  }
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv);
  return concatBytes(decipher.update(cipher.message), decipher.final());
}

/** NFKD without control characters, UTF-8: the same bytes from any keyboard. */
function normalizePassword(password: string): Uint8Array {
  const printable = [...password.normalize('NFKD')].filter((character) => {
    const code = character.codePointAt(0) as number;
    return code >= 0x20 && (code < 0x7f || code > 0x9f);
  });
  return utf8(printable.join(''));
}

interface ScryptCost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

function scrypt(password: Uint8Array, salt: Uint8Array, { n, r, p }: ScryptCost): Uint8Array {
  const maxmem = 128 * n * r + 128 * r * p + 2 ** 20;
  return scryptSync(password, salt, DERIVED_KEY_BYTES, { N: n, r, p, maxmem });
}

function derive(kdf: Module, password: Uint8Array): Uint8Array {
  const salt = hexField(kdf.params, 'salt');
  if (field(kdf.params, 'dklen') !== DERIVED_KEY_BYTES) throw unsupported('dklen', field(kdf.params, 'dklen'));
  switch (kdf.name) {
    case 'scrypt': {
      const cost = { n: countField(kdf.params, 'n'), r: countField(kdf.params, 'r'), p: countField(kdf.params, 'p') };
      const powerOfTwo = cost.n > 1 && Number.isInteger(Math.log2(cost.n));
      if (!powerOfTwo) throw malformed(`scrypt's n is ${cost.n}, not a power of two`);
      if (128 * cost.n * cost.r > SCRYPT_MEMORY_BYTES_MAX || cost.p > SCRYPT_PARALLELISM_MAX) {
        throw unsupported('scrypt cost', `n ${cost.n}, r ${cost.r}, p ${cost.p}`);
      }
      return scrypt(password, salt, cost);
    }
    case 'pbkdf2': {
      const rounds = countField(kdf.params, 'c');
      if (rounds > PBKDF2_ROUNDS_MAX) throw unsupported('pbkdf2 rounds', rounds);
      if (field(kdf.params, 'prf') !== 'hmac-sha256') throw unsupported('prf', field(kdf.params, 'prf'));
      return pbkdf2Sync(password, salt, rounds, DERIVED_KEY_BYTES, 'sha256');
    }
    default:
      throw unsupported('key derivation', kdf.name);
  }
}

function checksumOf(derived: Uint8Array, message: Uint8Array): Uint8Array {
  return sha256(concatBytes(derived.subarray(16), message));
}

interface Module {
  readonly name: unknown;
  readonly params: object;
  readonly message: Uint8Array;
}

function modulesOf(keystore: object): { kdf: Module; checksum: Module; cipher: Module } {
  const crypto = objectField(keystore, 'crypto');
  const module = (name: string): Module => {
    const at = objectField(crypto, name);
    return { name: field(at, 'function'), params: objectField(at, 'params'), message: hexField(at, 'message') };
  };
  return { kdf: module('kdf'), checksum: module('checksum'), cipher: module('cipher') };
}

function parse(text: string): object {
  if (text.length > KEYSTORE_BYTES_MAX) throw malformed(`it is longer than ${KEYSTORE_BYTES_MAX} bytes`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw malformed('it is not JSON', cause);
  }
  throw malformed('it is not a JSON object');
}

function field(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function objectField(value: object, name: string): object {
  const found = field(value, name);
  if (typeof found !== 'object' || found === null) throw malformed(`"${name}" is missing`);
  return found;
}

function hexField(value: object, name: string): Uint8Array {
  const found = field(value, name);
  if (typeof found !== 'string') throw malformed(`"${name}" is missing`);
  try {
    return fromHex(found);
  } catch (cause) {
    throw malformed(`"${name}" is not hexadecimal`, cause);
  }
}

function countField(value: object, name: string): number {
  const found = field(value, name);
  if (typeof found === 'number' && Number.isInteger(found) && found > 0 && found <= 2 ** 31) return found;
  throw malformed(`"${name}" is not a positive integer`);
}

/** Version 4, variant 1 (RFC 9562). */
function uuid(random: Uint8Array): string {
  const bytes = random.slice();
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function malformed(what: string, cause?: unknown): CryptoError {
  return new CryptoError('keystore-malformed', `not a keystore of EIP-2335: ${what}`, {}, cause);
}

function unsupported(what: string, found: unknown): CryptoError {
  return new CryptoError('keystore-unsupported', `a keystore with ${what} ${String(found)} is not supported`, { what });
}
