/** The two test vectors of EIP-2335, and bad files. */
import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { createBlsSigner, decryptKeystore, encryptKeystore } from '../src/native/index.ts';

const PASSWORD = '𝔱𝔢𝔰𝔱𝔭𝔞𝔰𝔰𝔴𝔬𝔯𝔡🔑';
const SECRET = '000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f';
const PUBLIC_KEY = '9612d7a727c9d0a22e185a1c768478dfe919cada9266988cb32359c11f2b7b27f4ae4040902382ae2910c15e2b420d07';
const SALT = 'd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3';
const IV = '264daa3f303d7259501c93d997d84fe6';

const SCRYPT_VECTOR = {
  crypto: {
    kdf: { function: 'scrypt', params: { dklen: 32, n: 262144, p: 1, r: 8, salt: SALT }, message: '' },
    checksum: {
      function: 'sha256',
      params: {},
      message: 'd2217fe5f3e9a1e34581ef8a78f7c9928e436d36dacc5e846690a5581e8ea484',
    },
    cipher: {
      function: 'aes-128-ctr',
      params: { iv: IV },
      message: '06ae90d55fe0a6e9c5c3bc5b170827b2e5cce3929ed3f116c2811e6366dfe20f',
    },
  },
  pubkey: PUBLIC_KEY,
  path: 'm/12381/60/3141592653/589793238',
  uuid: '1d85ae20-35c5-4611-98e8-aa14a633906f',
  version: 4,
};

const PBKDF2_VECTOR = {
  ...SCRYPT_VECTOR,
  crypto: {
    kdf: { function: 'pbkdf2', params: { dklen: 32, c: 262144, prf: 'hmac-sha256', salt: SALT }, message: '' },
    checksum: {
      function: 'sha256',
      params: {},
      message: '8a9f5d9912ed7e75ea794bc5a89bca5f193721d30868ade6f73043c6ea6febf1',
    },
    cipher: {
      function: 'aes-128-ctr',
      params: { iv: IV },
      message: 'cee03fde2af33149775b7223e7845e4fb2c8ae1792e5f99fe9ecf474cc8c16ad',
    },
  },
};

const random = { bytes: (length: number) => new Uint8Array(randomBytes(length)) };

describe('a keystore', () => {
  test.each([
    ['scrypt', SCRYPT_VECTOR],
    ['pbkdf2', PBKDF2_VECTOR],
  ])('of the standard, with %s, decrypts to its secret', (_name, vector) => {
    const secret = decryptKeystore(JSON.stringify(vector), PASSWORD);
    expect(toHex(secret)).toBe(SECRET);
    expect(toHex(createBlsSigner(secret).publicKey)).toBe(PUBLIC_KEY);
  });

  test('accepts the password in any Unicode form, and ignores control characters in it', () => {
    expect(toHex(decryptKeystore(JSON.stringify(PBKDF2_VECTOR), '\u0007testpassword\u007f🔑\u0085\n'))).toBe(SECRET);
  });

  test('uses a slow key derivation for a chosen password, and a fast one for a random password', () => {
    const written = (passwordIs?: 'chosen' | 'random') => {
      const options = {
        secret: fromHex(SECRET),
        password: 'as good as random',
        publicKey: fromHex(PUBLIC_KEY),
        random,
      };
      const text = encryptKeystore(passwordIs === undefined ? options : { ...options, passwordIs });
      expect(toHex(decryptKeystore(text, options.password))).toBe(SECRET);
      return JSON.parse(text).crypto.kdf.params.n;
    };
    expect([written(), written('chosen'), written('random')]).toEqual([262_144, 262_144, 4_096]);
  });

  test('that was encrypted here is decrypted here, and with no other password', () => {
    const secret = new Uint8Array(randomBytes(32));
    const text = encryptKeystore({ secret, password: 'correct horse', publicKey: fromHex(PUBLIC_KEY), random });
    expect(JSON.parse(text)).toMatchObject({ version: 4, pubkey: PUBLIC_KEY });
    expect(JSON.parse(text).uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(decryptKeystore(text, 'correct horse')).toEqual(secret);
    expect(() => decryptKeystore(text, 'correct horses')).toThrow(
      expect.objectContaining({ code: 'keystore-password' }),
    );
  });

  test('with a changed ciphertext is rejected', () => {
    const changed = structuredClone(PBKDF2_VECTOR);
    changed.crypto.cipher.message = changed.crypto.cipher.message.replace('cee0', 'cee1');
    expect(() => decryptKeystore(JSON.stringify(changed), PASSWORD)).toThrow(
      expect.objectContaining({ code: 'keystore-password' }),
    );
  });

  const malformed: readonly [what: string, text: string][] = [
    ['no JSON', '{'],
    ['an array', '[]'],
    ['null', 'null'],
    ['no crypto', JSON.stringify({ version: 4 })],
    ['a salt that is no hexadecimal', JSON.stringify(SCRYPT_VECTOR).replace(SALT, 'xyz')],
    ['a short iv', JSON.stringify(SCRYPT_VECTOR).replace(IV, 'aa')],
    ['n that is no power of two', JSON.stringify(SCRYPT_VECTOR).replace('262144', '262143')],
    ['a negative n', JSON.stringify(SCRYPT_VECTOR).replace('262144', '-4')],
    ['a file above the maximum size', `"${' '.repeat(70_000)}"`],
  ];
  test.each(malformed)('that is malformed is rejected: %s', (_what, text) => {
    expect(() => decryptKeystore(text, PASSWORD)).toThrow(expect.objectContaining({ code: 'keystore-malformed' }));
  });

  const unsupported: readonly [what: string, text: string][] = [
    ['version 3', JSON.stringify({ ...SCRYPT_VECTOR, version: 3 })],
    ['a cost beyond the memory allowed', JSON.stringify(SCRYPT_VECTOR).replace('262144', String(2 ** 24))],
    ['rounds beyond the time allowed', JSON.stringify(PBKDF2_VECTOR).replace('262144', String(2 ** 30))],
    ['another cipher', JSON.stringify(SCRYPT_VECTOR).replace('aes-128-ctr', 'aes-256-gcm')],
    ['another derivation', JSON.stringify(SCRYPT_VECTOR).replace('scrypt', 'argon2id')],
    ['another checksum', JSON.stringify(SCRYPT_VECTOR).replace('sha256', 'md5')],
  ];
  test.each(unsupported)('that requires unsupported functions is rejected: %s', (_what, text) => {
    expect(() => decryptKeystore(text, PASSWORD)).toThrow(expect.objectContaining({ code: 'keystore-unsupported' }));
  });
});
