import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as browser from '../src/browser/index.ts';
import * as native from '../src/native/index.ts';
import { committeeOf, MESSAGE, OTHER_MESSAGE, quorumOf, signaturesOf } from './committee.ts';

describe('a certificate', () => {
  test('made by native code verifies in browser code, and does not when changed', async () => {
    const committee = committeeOf(4);
    const { aggregate } = await committee.service.verifier.checkQuorum(quorumOf(signaturesOf(committee), new Set()));
    const certificate = { publicKeys: committee.publicKeys, message: MESSAGE, aggregate: aggregate as Uint8Array };
    const check = (change: Partial<browser.CertificateAggregate>) =>
      browser.verifyCertificateAggregate({ ...certificate, ...change });
    expect(check({})).toBe(true);
    expect(check({ message: OTHER_MESSAGE })).toBe(false);
    expect(check({ publicKeys: committee.publicKeys.slice(1) })).toBe(false);
    expect(check({ publicKeys: [] })).toBe(false);
    expect(check({ publicKeys: committee.publicKeys.map((key) => key.subarray(1)) })).toBe(false);
    expect(check({ publicKeys: [...committee.publicKeys, new Uint8Array(48)] })).toBe(false);
    expect(check({ aggregate: new Uint8Array(96) })).toBe(false);
    expect(check({ aggregate: certificate.aggregate.subarray(1) })).toBe(false);
    for (let bit = 0; bit < 96 * 8; bit += 53) {
      const changed = certificate.aggregate.slice();
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(check({ aggregate: changed })).toBe(false);
    }
  });

  test('of the identity point is rejected', () => {
    const identity = (length: number) => new Uint8Array(length).fill(0xc0, 0, 1);
    const check = { publicKeys: [identity(48)], message: MESSAGE, aggregate: identity(96) };
    expect(browser.verifyCertificateAggregate(check)).toBe(false);
  });
});

describe('an account', () => {
  test('has the same key and signs the same bytes in native and in browser code, and libsodium accepts them', () => {
    for (const length of [0, 1, 32, 1000]) {
      const secret = new Uint8Array(randomBytes(32));
      const message = new Uint8Array(randomBytes(length));
      const publicKey = browser.ed25519PublicKey(secret);
      const signature = browser.ed25519Sign(message, secret);
      expect(native.ed25519PublicKey(secret)).toEqual(publicKey);
      expect(native.ed25519Sign(message, secret)).toEqual(signature);
      expect(native.ed25519Verify(publicKey, message, signature)).toBe(true);
      signature[3] = (signature[3] as number) ^ 1;
      expect(native.ed25519Verify(publicKey, message, signature)).toBe(false);
    }
  });

  test('with a secret of the wrong length is rejected', () => {
    for (const code of [native, browser]) {
      expect(() => code.ed25519Sign(MESSAGE, new Uint8Array(31))).toThrow('32 bytes');
      expect(() => code.ed25519PublicKey(new Uint8Array(64))).toThrow('32 bytes');
    }
  });
});
