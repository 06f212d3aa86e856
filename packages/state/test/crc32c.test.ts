import { expect, test } from 'vitest';
import { crc32c } from '../src/crc32c.ts';

const crcOf = (bytes: Uint8Array) => crc32c(new Int32Array(bytes.slice().buffer), 0, bytes.length / 4) >>> 0;

// Source: RFC 3720, appendix B.4.
test.each([
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 ones', new Uint8Array(32).fill(255), 0x62a8ab43],
  ['0 to 31', Uint8Array.from({ length: 32 }, (_, i) => i), 0x46dd794e],
  ['31 to 0', Uint8Array.from({ length: 32 }, (_, i) => 31 - i), 0x113fdb5c],
])('CRC32C of %s is that of RFC 3720', (_, bytes, crc) => {
  expect(crcOf(bytes)).toBe(crc);
});

test('CRC32C goes on from an earlier part', () => {
  const words = Int32Array.from({ length: 11 }, (_, i) => i * 77);
  expect(crc32c(words, 3, 11, crc32c(words, 0, 3))).toBe(crc32c(words, 0, 11));
});
