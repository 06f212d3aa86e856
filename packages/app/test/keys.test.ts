import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { list, oneOf, record, text, u8, u32 } from '../src/index.ts';
import { FormError, keyFormOf } from '../src/program/index.ts';
import { type KeyCodec, keyCodecOfParts } from '../src/state/keys.ts';
import { type KeySample, scalars } from './random-forms.ts';

interface KeysOfOneTable {
  readonly codec: KeyCodec<unknown>;
  readonly keys: readonly (readonly unknown[])[];
  readonly parts: readonly KeySample[];
}

const tables: fc.Arbitrary<KeysOfOneTable> = fc
  .array(fc.constantFrom(...scalars), { minLength: 1, maxLength: 3 })
  .chain((parts) =>
    fc.array(fc.tuple(...parts.map(({ value }) => value)), { minLength: 2, maxLength: 8 }).map((keys) => {
      const forms = parts.map(({ form }) => keyFormOf(form.description));
      return { codec: keyCodecOfParts(forms, false), keys, parts };
    }),
  );

/** Numbers by size, text and bytes byte by byte, names by their place. */
function compareParts(a: unknown, b: unknown, { form }: KeySample): number {
  const comparable = (value: unknown): number | bigint | Buffer => {
    if (typeof value === 'number' || typeof value === 'bigint') return value;
    if (value instanceof Uint8Array) return Buffer.from(value);
    const { description } = form;
    if (description.form === 'oneOf') return description.names.indexOf(String(value));
    return Buffer.from(String(value), description.form === 'text' ? 'utf8' : 'latin1');
  };
  const [left, right] = [comparable(a), comparable(b)];
  if (left instanceof Buffer && right instanceof Buffer) return Buffer.compare(left, right);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareKeys(a: readonly unknown[], b: readonly unknown[], parts: readonly KeySample[]): number {
  for (const [i, part] of parts.entries()) {
    const order = compareParts(a[i], b[i], part);
    if (order !== 0) return order;
  }
  return 0;
}

describe('keys', () => {
  it('are ordered as bytes the way their values are, and read back', () => {
    fc.assert(
      fc.property(tables, ({ codec, keys, parts }) => {
        for (const key of keys) {
          const encoded = codec.encode(key, 2);
          expect(codec.decode(encoded, 2)).toEqual(key);
          expect(encoded.length - 2).toBeLessThanOrEqual(codec.bytesMax);
          expect(codec.fromJson(JSON.parse(JSON.stringify(codec.toJson(key))), 'key')).toEqual(key);
        }
        for (const a of keys) {
          for (const b of keys) {
            const order = Buffer.compare(codec.encode(a, 0), codec.encode(b, 0));
            expect(Math.sign(order)).toBe(compareKeys(a, b, parts));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('have numbers big-endian, and text with its end', () => {
    const codec = keyCodecOfParts([u32, text(4), oneOf('a', 'b')], false);
    expect([...codec.encode([258, 'x\0', 'b'], 0)]).toEqual([0, 0, 1, 2, 0x78, 0, 1, 0, 0, 1]);
  });

  it('refuse other bytes, other counts of parts and forms without an order', () => {
    const codec = keyCodecOfParts([u8, text(2)], false);
    for (const bytes of [[], [1], [1, 0], [1, 0, 2], [1, 0, 0, 0], [1, 0x78, 0x78, 0x78, 0, 0], [1, 0xff, 0, 0]])
      expect(() => codec.decode(Uint8Array.from(bytes), 0)).toThrow(FormError);
    expect(() => codec.encode([1], 0)).toThrow('a list is not a key of 2 parts');
    expect(() => codec.fromJson([1, 'abc'], 'key')).toThrow('key[1]: expected text of at most 2 bytes in UTF-8');
    expect(() => keyFormOf(record({ a: u8 }).description)).toThrow('no part of a key');
    expect(() => keyFormOf(list(u8, 2).description)).toThrow('no part of a key');
  });
});
