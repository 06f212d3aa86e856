import { utf8 } from '@slipstream/primitives';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32c } from '../src/index.ts';

test('gives the published values (RFC 3720, appendix B.4, and the check value of the polynomial)', () => {
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => 31 - i))).toBe(0x113fdb5c);
  expect(crc32c(utf8('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

test('equals the bit-by-bit division for any range of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(10), fc.nat(10), (bytes, skip, drop) => {
      const from = Math.min(skip, bytes.length);
      const to = Math.max(from, bytes.length - drop);
      expect(crc32c(bytes, from, to)).toBe(divideBitByBit(bytes.subarray(from, to)));
    }),
  );
});

test('continues from the checksum of an earlier part', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(70), (bytes, cut) => {
      const at = Math.min(cut, bytes.length);
      expect(crc32c(bytes, at, bytes.length, crc32c(bytes, 0, at))).toBe(crc32c(bytes));
    }),
  );
});

function divideBitByBit(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc >>> 0;
}
