import { describe, expect, it } from 'vitest';
import { bytesOfText, byteTextFrom, wroteByteText } from '../src/forms/byte-text.ts';

describe('text of one byte a character', () => {
  it.each([0, 1, 63, 64, 65, 128, 1_000, 70_000])('is made of %i bytes and back', (length) => {
    const bytes = Uint8Array.from({ length: length + 2 }, (_, i) => i * 7);
    const text = byteTextFrom(bytes, 1, 1 + length);
    expect(text).toHaveLength(length);
    expect(bytesOfText(text)).toEqual(bytes.slice(1, 1 + length));
  });

  it('is refused with a larger character, at whatever place', () => {
    const bytes = new Uint8Array(8);
    for (let at = 0; at < 8; at++)
      expect(wroteByteText(bytes, 0, `${'a'.repeat(at)}\u0100${'a'.repeat(7 - at)}`)).toBe(false);
    expect(wroteByteText(bytes, 0, 'a\u00ffbcdefg')).toBe(true);
    expect([...bytes.subarray(0, 2)]).toEqual([0x61, 0xff]);
  });
});
