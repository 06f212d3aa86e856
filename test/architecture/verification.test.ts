import { describe, expect, it } from 'vitest';
import { readRepository } from './repository.ts';
import { findVerifications } from './verification.ts';

describe('signatures', () => {
  it('are checked by the verifier alone', () => {
    expect(findVerifications(readRepository())).toEqual([]);
  });
});

describe('the checker of verification', () => {
  it.each([
    ["import blst from '@chainsafe/blst';\nblst.verify(a, b, c);", 1, 'loads @chainsafe/blst'],
    ["import { x } from 'sodium-native';", 1, 'loads sodium-native'],
    ["import { ed25519Verify } from '@slipstream/crypto/native';\n\ned25519Verify(a, b, c);", 3, 'calls ed25519Verify'],
    [
      "import * as native from '@slipstream/crypto/native';\nnative.ed25519Verify(a, b, c);",
      2,
      'calls native.ed25519Verify',
    ],
    [
      "import sodium from 'sodium-native';\nsodium.crypto_sign_verify_detached(a, b, c);",
      2,
      'calls sodium.crypto_sign_verify_detached',
    ],
  ])('finds: %s', (text, line, what) => {
    const found = findVerifications([{ path: 'packages/consensus/src/a.ts', text }]);
    expect(found).toContain(`packages/consensus/src/a.ts:${line}: ${what}: ask a Verifier`);
  });

  it('ignores the verifier, types and tests', () => {
    const text = "import blst from '@chainsafe/blst';";
    expect(findVerifications([{ path: 'packages/crypto/src/native/binding.ts', text }])).toEqual([]);
    expect(findVerifications([{ path: 'packages/consensus/test/a.ts', text }])).toEqual([]);
    const typed = "import type blst from '@chainsafe/blst';";
    expect(findVerifications([{ path: 'packages/consensus/src/a.ts', text: typed }])).toEqual([]);
  });
});
