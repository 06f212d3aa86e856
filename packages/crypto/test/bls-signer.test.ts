import { bls12_381 } from '@noble/curves/bls12-381.js';
import { fromHex, toHex } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { verifyCertificateAggregate } from '../src/browser/index.ts';
import { checkProofOfPossession, createBlsSigner, generateBlsSecretKey } from '../src/native/index.ts';
import { MESSAGE, secretKeyOf } from './committee.ts';

const signer = createBlsSigner(secretKeyOf(1));
const other = createBlsSigner(secretKeyOf(2));

/** On the curve but outside the group of order r, as nearly every point is: G1's cofactor is large. */
function keyOutsideGroup(): Uint8Array {
  const { Point } = bls12_381.G1;
  const { Fp } = bls12_381.fields;
  for (let x = 1n; ; x++) {
    const square = Fp.add(Fp.pow(x, 3n), 4n);
    if (Fp.pow(square, (Fp.ORDER - 1n) / 2n) !== 1n) continue;
    if (Point.fromAffine({ x, y: Fp.sqrt(square) }).isTorsionFree()) continue;
    const bytes = fromHex(x.toString(16).padStart(96, '0'));
    bytes[0] = (bytes[0] as number) | 0x80;
    return bytes;
  }
}

describe('a validator’s key', () => {
  test('is derived from its seed as EIP-2333 derives a master key (a test case published there)', () => {
    const seed = fromHex('3141592653589793238462643383279502884197169399375105820974944592');
    const secret = BigInt(`0x${toHex(generateBlsSecretKey(seed))}`);
    expect(secret).toBe(29757020647961307431480504535336562678282505419141012933316116377660817309383n);
  });

  test('needs a seed of 32 bytes and a secret in range', () => {
    const invalid = expect.objectContaining({ code: 'invalid-secret-key' });
    expect(() => generateBlsSecretKey(new Uint8Array(31))).toThrow(invalid);
    expect(() => createBlsSigner(new Uint8Array(32))).toThrow(invalid);
    expect(() => createBlsSigner(new Uint8Array(32).fill(0xff))).toThrow(invalid);
    expect(() => createBlsSigner(new Uint8Array(31).fill(1))).toThrow(invalid);
  });

  test('signs what another implementation of the same ciphersuite verifies, with the same point', () => {
    const signature = signer.sign(MESSAGE);
    expect(signature).toHaveLength(192);
    const aggregate = bls12_381.G2.Point.fromBytes(signature).toBytes(true);
    expect(verifyCertificateAggregate({ publicKeys: [signer.publicKey], message: MESSAGE, aggregate })).toBe(true);
    expect(verifyCertificateAggregate({ publicKeys: [other.publicKey], message: MESSAGE, aggregate })).toBe(false);
    const scheme = bls12_381.longSignatures;
    const hashed = scheme.hash(MESSAGE, 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_');
    expect(scheme.sign(hashed, secretKeyOf(1)).toBytes(true)).toEqual(aggregate);
  });
});

describe('a proof of possession', () => {
  const proof = signer.proveOwnership();

  test('holds for its key', () => {
    expect(checkProofOfPossession(signer.publicKey, proof)).toBe(true);
  });

  test('holds for no other key, and no other signature passes as one', () => {
    expect(checkProofOfPossession(other.publicKey, proof)).toBe(false);
    expect(checkProofOfPossession(signer.publicKey, other.proveOwnership())).toBe(false);
    expect(checkProofOfPossession(signer.publicKey, signer.sign(signer.publicKey.subarray(0, 32)))).toBe(false);
    expect(checkProofOfPossession(signer.publicKey, proof.subarray(1))).toBe(false);
    expect(checkProofOfPossession(signer.publicKey, new Uint8Array(192))).toBe(false);
  });

  test('validates the key: identity, outside the group, not on the curve, wrong length', () => {
    const identity = new Uint8Array(48).fill(0xc0, 0, 1);
    const identityProof = new Uint8Array(192).fill(0x40, 0, 1);
    expect(checkProofOfPossession(identity, identityProof)).toBe(false);
    expect(checkProofOfPossession(keyOutsideGroup(), proof)).toBe(false);
    expect(checkProofOfPossession(new Uint8Array(48).fill(0x81), proof)).toBe(false);
    expect(checkProofOfPossession(new Uint8Array(47), proof)).toBe(false);
  });
});

/** Why native/binding.ts passes every flag. */
describe('the binding’s flags', () => {
  test('default to false: a key outside the group decodes unless validation is asked for', async () => {
    const { default: blst } = await import('@chainsafe/blst');
    const outside = keyOutsideGroup();
    expect(() => blst.PublicKey.fromBytes(outside)).not.toThrow();
    expect(() => blst.PublicKey.fromBytes(outside, true)).toThrow();
  });
});
