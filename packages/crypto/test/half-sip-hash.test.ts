/** Against the plain algorithm, which must give the reference implementation's published value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { halfSipHash } from '../src/half-sip-hash.ts';

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

function plainly(words: readonly number[], key0: number, key1: number, perWord: number, closing: number): number {
  let [v0, v1, v2, v3] = [key0, key1, 0x6c796765 ^ key0, 0x74656462 ^ key1];
  const round = (): void => {
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
  };
  for (const word of [...words, (4 * words.length) << 24]) {
    v3 ^= word;
    for (let i = 0; i < perWord; i++) round();
    v0 ^= word;
  }
  v2 ^= 0xff;
  for (let i = 0; i < closing; i++) round();
  return (v1 ^ v3) >>> 0;
}

test('the plain form gives the first published value of HalfSipHash-2-4', () => {
  expect(plainly([], 0x03020100, 0x07060504, 2, 4)).toBe(0x5b9f35a9);
});

test('the fast form equals the plain one with one round per word and three final rounds', () => {
  const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 80 }), word, word, (words, key0, key1) => {
      const padded = Int32Array.from([...words, 1, 2, 3]);
      expect(halfSipHash(padded, words.length, key0, key1)).toBe(plainly(words, key0, key1, 1, 3));
    }),
  );
});
