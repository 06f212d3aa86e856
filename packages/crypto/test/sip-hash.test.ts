/** Against the reference implementation's published values, and against the plain algorithm. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSipHash, SIP_INPUT_BYTES_MAX, SIP_KEY_BYTES } from '../src/sip-hash.ts';

const COUNTING = Uint8Array.from({ length: 64 }, (_, i) => i);

function hashOf(key: Uint8Array, input: Uint8Array): string {
  const hash = createSipHash(key);
  hash.input.fill(0xa5);
  hash.input.set(input);
  hash.run(input.length);
  return Buffer.from(hash.output.slice().buffer).toString('hex');
}

function plainly(key: Uint8Array, input: Uint8Array): string {
  const wordAt = (bytes: Uint8Array, at: number): bigint =>
    new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(at, true);
  const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);
  const rotate = (value: bigint, by: bigint): bigint => wrap(value << by) | (value >> (64n - by));
  const [k0, k1] = [wordAt(key, 0), wordAt(key, 8)];
  let [v0, v1, v2, v3] = [
    k0 ^ 0x736f6d6570736575n,
    k1 ^ 0x646f72616e646f6dn ^ 0xeen,
    k0 ^ 0x6c7967656e657261n,
    k1 ^ 0x7465646279746573n,
  ];
  const rounds = (count: number): void => {
    for (let i = 0; i < count; i++) {
      v0 = wrap(v0 + v1);
      v1 = rotate(v1, 13n) ^ v0;
      v0 = rotate(v0, 32n);
      v2 = wrap(v2 + v3);
      v3 = rotate(v3, 16n) ^ v2;
      v0 = wrap(v0 + v3);
      v3 = rotate(v3, 21n) ^ v0;
      v2 = wrap(v2 + v1);
      v1 = rotate(v1, 17n) ^ v2;
      v2 = rotate(v2, 32n);
    }
  };
  const padded = new Uint8Array(input.length - (input.length % 8) + 8);
  padded.set(input);
  padded[padded.length - 1] = input.length;
  for (let at = 0; at < padded.length; at += 8) {
    const word = wordAt(padded, at);
    v3 ^= word;
    rounds(2);
    v0 ^= word;
  }
  const words: bigint[] = [];
  v2 ^= 0xeen;
  rounds(4);
  words.push(v0 ^ v1 ^ v2 ^ v3);
  v1 ^= 0xddn;
  rounds(4);
  words.push(v0 ^ v1 ^ v2 ^ v3);
  return Buffer.from(BigUint64Array.from(words).buffer).toString('hex');
}

test('equals the published values of SipHash-2-4 with 128 bits', () => {
  const key = COUNTING.subarray(0, SIP_KEY_BYTES);
  expect(hashOf(key, new Uint8Array(0))).toBe('a3817f04ba25a8e66df67214c7550293');
  expect(hashOf(key, COUNTING.subarray(0, 1))).toBe('da87c1d86b99af44347659119b22fc45');
  expect(hashOf(key, COUNTING.subarray(0, 63))).toBe('5150d1772f50834a503e069a973fbd7c');
});

test('equals the plain algorithm for every input', () => {
  const key = fc.uint8Array({ minLength: SIP_KEY_BYTES, maxLength: SIP_KEY_BYTES });
  fc.assert(
    fc.property(key, fc.uint8Array({ maxLength: 400 }), (secret, input) => {
      expect(hashOf(secret, input)).toBe(plainly(secret, input));
    }),
  );
  const longest = new Uint8Array(SIP_INPUT_BYTES_MAX).fill(7);
  expect(hashOf(COUNTING.subarray(0, SIP_KEY_BYTES), longest)).toBe(plainly(COUNTING.slice(0, SIP_KEY_BYTES), longest));
});

test('rejects a malformed key', () => {
  expect(() => createSipHash(new Uint8Array(8))).toThrow('a SipHash key has 16 bytes');
});
