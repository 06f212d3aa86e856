import { fromHex } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { ed25519PublicKey, ed25519Sign, ed25519Verify } from '../src/native/index.ts';
import { EDGE_CASES } from './ed25519-edge-cases.ts';

describe('an account’s signature', () => {
  test.each(EDGE_CASES)('edge case %s', (_what, accepted, key, message, signature) => {
    expect(ed25519Verify(fromHex(key), fromHex(message), fromHex(signature))).toBe(accepted);
  });

  test('of RFC 8032, section 7.1, test 2, is made and accepted', () => {
    const secret = fromHex('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
    const publicKey = fromHex('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c');
    const signature = fromHex(
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    );
    expect(ed25519PublicKey(secret)).toEqual(publicKey);
    expect(ed25519Sign(fromHex('72'), secret)).toEqual(signature);
    expect(ed25519Verify(publicKey, fromHex('72'), signature)).toBe(true);
    expect(ed25519Verify(publicKey, fromHex('73'), signature)).toBe(false);
  });

  test('of a wrong length, or under a key of a wrong length, is rejected and does not throw', () => {
    expect(ed25519Verify(new Uint8Array(31), new Uint8Array(1), new Uint8Array(64))).toBe(false);
    expect(ed25519Verify(new Uint8Array(32), new Uint8Array(1), new Uint8Array(65))).toBe(false);
    expect(ed25519Verify(new Uint8Array(32), new Uint8Array(0), new Uint8Array(64))).toBe(false);
  });
});
