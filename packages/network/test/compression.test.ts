import { concatBytes } from '@slipstream/primitives';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import zstd from 'zstd-napi';
import { compress, type DecompressLimits, decompress } from '../src/compression.ts';

const limits: DecompressLimits = { bytesMax: 2_000_000, ratioMax: 200 };
const codeOf = (bytes: Uint8Array, within = limits): string => {
  const result = decompress(bytes, within);
  return result.ok ? 'ok' : result.error.code;
};

test('decompression returns the compressed bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (content) => {
      const result = decompress(compress(content), limits);
      expect(result.ok && Buffer.compare(result.value, content)).toBe(0);
    }),
  );
});

test('a decompression bomb is refused by its ratio before any allocation', () => {
  const bomb = compress(new Uint8Array(1_900_000));
  expect(bomb.length).toBeLessThan(1_000);
  expect(codeOf(bomb)).toBe('ratio');
});

test('content above the maximum is refused by its declared size', () => {
  const large = compress(new Uint8Array(64_000_000));
  const before = process.memoryUsage().arrayBuffers;
  expect(codeOf(large, { bytesMax: 2_000_000, ratioMax: 1_000_000 })).toBe('oversize');
  expect(codeOf(compress(new Uint8Array(2_000)), { ...limits, roomBytes: 1_999 })).toBe('no-room');
  expect(codeOf(large, { ...limits, roomBytes: 0 })).toBe('oversize');
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000);
});

test('a frame that declares terabytes is refused', () => {
  const header = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
  expect(codeOf(header)).toBe('oversize');
});

test('a frame without a declared size is refused', () => {
  const undeclared = zstd.compress(new Uint8Array(1_000), { contentSizeFlag: false });
  expect(codeOf(undeclared)).toBe('size-missing');
});

test('a frame that declares less, or more, than it holds is refused', () => {
  const honest = compress(Uint8Array.from({ length: 300 }, (_, i) => i));
  // A single segment of 256 to 65,791 bytes: its size less 256 is in the two bytes after the descriptor.
  expect(honest[4]).toBe(0x60);
  for (const declared of [299, 301, 40_000]) {
    const liar = Uint8Array.from(honest);
    new DataView(liar.buffer).setUint16(5, declared - 256, true);
    expect(codeOf(liar)).toBe('malformed');
  }
});

test('a second frame behind the first is refused, whatever size it declares', () => {
  const small = compress(new Uint8Array(10));
  expect(codeOf(concatBytes(small, compress(new Uint8Array(64_000_000))))).toBe('malformed');
  expect(codeOf(concatBytes(small, new Uint8Array([1])))).toBe('malformed');
});

test('skippable frames, dictionaries, truncation and noise are refused', () => {
  const frame = compress(Uint8Array.from({ length: 5_000 }, (_, i) => (i * i) & 0xff));
  expect(codeOf(new Uint8Array([0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]))).toBe('malformed');
  const withDictionary = Uint8Array.from(frame);
  withDictionary[4] = (withDictionary[4] as number) | 1;
  expect(codeOf(withDictionary)).toBe('malformed');
  for (let length = 0; length < frame.length; length += 7) expect(codeOf(frame.subarray(0, length))).not.toBe('ok');
  for (let bytes = 0; bytes < 100; bytes++) expect(codeOf(new Uint8Array(bytes).fill(bytes))).toBe('malformed');
});

test('no bytes make it throw or return more than the maximum', () => {
  const frame = compress(Uint8Array.from({ length: 1_000 }, (_, i) => (i * 7) & 0x3f));
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(frame.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (flips) => {
      const damaged = Uint8Array.from(frame);
      for (const [at, value] of flips) damaged[at] = value;
      const result = decompress(damaged, limits);
      if (result.ok) expect(result.value.length).toBeLessThanOrEqual(damaged.length * limits.ratioMax);
    }),
    { numRuns: 2_000 },
  );
});
