import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  account,
  amount,
  bytes,
  choice,
  type Form,
  id,
  list,
  oneOf,
  option,
  record,
  text,
  timeMs,
  u8,
  u16,
  u32,
} from '../src/index.ts';
import {
  decode,
  encode,
  encodeJson,
  type FormDescription,
  FormError,
  formOf,
  jsonSchemaOf,
} from '../src/program/index.ts';
import { AMOUNT_MAX, samplesWithValues } from './random-forms.ts';

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FormError) return error.code;
    throw error;
  }
  return 'none';
}

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return error instanceof FormError ? error.message : String(error);
  }
  return 'none';
}

describe('forms of any nesting', () => {
  it('encode as the SSZ library does, and read their bytes back', () => {
    fc.assert(
      fc.property(samplesWithValues, ({ sample: { form, ssz, toSsz }, value }) => {
        const encoded = encode(form, value);
        expect(Buffer.from(encoded)).toEqual(Buffer.from(ssz.serialize(toSsz(value))));
        expect(decode(form, encoded)).toEqual(value);
        expect(encoded.length).toBeLessThanOrEqual(form.bytesMax);
        if (form.fixedBytes !== undefined) expect(encoded.length).toBe(form.fixedBytes);
      }),
      { numRuns: 400 },
    );
  });

  it('pass through JSON text unchanged', () => {
    fc.assert(
      fc.property(samplesWithValues, ({ sample: { form }, value }) => {
        const json = JSON.parse(JSON.stringify(form.toJson(value)));
        expect(form.fromJson(json, 'input')).toEqual(value);
        expect(encodeJson(form, json, 'input')).toEqual(encode(form, value));
      }),
      { numRuns: 300 },
    );
  });

  it('are made again from their description as JSON text', () => {
    fc.assert(
      fc.property(samplesWithValues, ({ sample: { form }, value }) => {
        const again = formOf(JSON.parse(JSON.stringify(form.description)) as FormDescription);
        expect(again.description).toEqual(form.description);
        expect([again.fixedBytes, again.bytesMax, again.depth]).toEqual([form.fixedBytes, form.bytesMax, form.depth]);
        expect(encode(again, value)).toEqual(encode(form, value));
        expect(typeof jsonSchemaOf(form.description)).toBe('object');
      }),
      { numRuns: 200 },
    );
  });

  it('read other bytes as a value that has exactly these bytes, or refuse them', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(samplesWithValues, changes, fc.integer({ min: -3, max: 3 }), ({ sample, value }, changed, longer) => {
        const { form } = sample;
        const encoded = encode(form, value);
        const other = new Uint8Array(Math.max(0, encoded.length + longer));
        other.set(encoded.subarray(0, other.length));
        for (const [at, byte] of changed) if (other.length > 0) other[at % other.length] = byte;
        let read: unknown;
        try {
          read = decode(form, other);
        } catch (error) {
          expect(error).toBeInstanceOf(FormError);
          expect((error as FormError).code).toBe('bad-bytes');
          return;
        }
        expect(encode(form, read)).toEqual(other);
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuse bytes behind a value of fixed size, and half of one', () => {
    const form = record({ at: u32, to: account });
    const encoded = encode(form, form.fromJson({ at: 7, to: `0x${'01'.repeat(33)}` }, ''));
    expect(codeOf(() => decode(form, Uint8Array.from([...encoded, 0])))).toBe('bad-bytes');
    expect(codeOf(() => decode(form, encoded.subarray(0, -1)))).toBe('bad-bytes');
    expect(codeOf(() => decode(option(u8), Uint8Array.of(1, 5, 5)))).toBe('bad-bytes');
    expect(codeOf(() => decode(option(u8), Uint8Array.of(0, 5)))).toBe('bad-bytes');
    expect(codeOf(() => decode(list(u16, 3), Uint8Array.of(1, 0, 2)))).toBe('bad-bytes');
    expect(codeOf(() => decode(list(u8, 3), Uint8Array.of(1, 2, 3, 4)))).toBe('bad-bytes');
    expect(codeOf(() => decode(timeMs, new Uint8Array(8).fill(255)))).toBe('bad-bytes');
  });
});

describe('wrong values', () => {
  const wrong: readonly (readonly [string, Form<unknown>, readonly unknown[]])[] = [
    ['u8', u8, [-1, 256, 1.5, Number.NaN, '1', 1n, undefined, null]],
    ['u32', u32, [-1, 2 ** 32, Number.POSITIVE_INFINITY]],
    ['timeMs', timeMs, [2 ** 53, -1]],
    ['amount', amount, [-1n, AMOUNT_MAX + 1n, 1n << 100_000n, 5, '5']],
    ['account', account, ['', 'a'.repeat(32), 'a'.repeat(34), '\u0100'.repeat(33), 5]],
    ['id', id, ['a'.repeat(33)]],
    ['oneOf', oneOf('a', 'b'), ['c', 0, undefined]],
    ['text', text(3), ['abcd', '\u20ac\u20ac', '\ud800', 5]],
    ['bytes', bytes(2), [new Uint8Array(3), [1, 2], 'ab']],
    ['list', list(u8, 2), [[1, 2, 3], [256], 'ab', { length: 1 }]],
    ['record', record({ a: u8 }), [{}, { a: -1 }, null, 5]],
    ['choice', choice({ a: { b: u8 }, c: {} }), [{ kind: 'd' }, { kind: 'a' }, null, 'a']],
    ['option', option(u8), [null, 256]],
  ];

  it.each(wrong)('are refused by %s', (_, form, values) => {
    for (const value of values) expect(codeOf(() => encode(form, value))).toBe('bad-value');
  });
});

describe('JSON', () => {
  const form = record({
    to: account,
    holders: list(record({ owner: account, value: amount }), 3),
    order: choice({ limit: { price: u32 }, market: {} }),
    note: option(text(5)),
  });
  const owner = `0x${'02'.repeat(33)}`;
  const good = { to: owner, holders: [{ owner, value: '5' }], order: { kind: 'market' } };

  it('may leave an option away, and have it null', () => {
    expect(form.fromJson(good, 'input').note).toBeUndefined();
    expect(form.fromJson({ ...good, note: null }, 'input').note).toBeUndefined();
    expect(form.toJson(form.fromJson(good, 'input'))).toEqual({ ...good, note: null });
  });

  it.each([
    ['input', null],
    ['input', [good]],
    ['input.to', { ...good, to: owner.toUpperCase() }],
    ['input.to', { ...good, to: undefined }],
    ['input.holders', { ...good, holders: {} }],
    ['input.holders', { ...good, holders: Array.from({ length: 4 }, () => good.holders[0]) }],
    ['input.holders[1].value', { ...good, holders: [good.holders[0], { owner, value: 5 }] }],
    ['input.holders[0].value', { ...good, holders: [{ owner, value: '05' }] }],
    ['input.holders[0].value', { ...good, holders: [{ owner, value: '18446744073709551616' }] }],
    ['input.holders[0].value', { ...good, holders: [{ owner, value: '' }] }],
    ['input.holders[0].extra', { ...good, holders: [{ owner, value: '5', extra: 1 }] }],
    ['input.order.kind', { ...good, order: { kind: 'stop' } }],
    ['input.order.price', { ...good, order: { kind: 'limit', price: -1 } }],
    ['input.order.price', { ...good, order: { kind: 'market', price: 1 } }],
    ['input.note', { ...good, note: 'longer' }],
    ['input.more', { ...good, more: 1 }],
  ])('is refused with its path: %s', (path, json) => {
    let found: unknown;
    try {
      form.fromJson(json, 'input');
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(FormError);
    expect(found).toMatchObject({ code: 'bad-json', path });
    expect((found as FormError).message.startsWith(`${path}: `)).toBe(true);
  });

  it('takes a bigint for an amount, as callers in TypeScript have it', () => {
    expect(amount.fromJson(5n, 'a')).toBe(5n);
    expect(codeOf(() => amount.fromJson(-5n, 'a'))).toBe('bad-json');
  });
});

describe('definitions', () => {
  it.each([
    ['a name with a space', () => record({ 'a b': u8 })],
    ['a name of every object', () => record({ constructor: u8 })],
    ['a field "kind" in a choice', () => choice({ a: { kind: u8 } })],
    ['a choice of nothing', () => choice({})],
    ['oneOf of nothing', () => oneOf()],
    ['a name twice', () => oneOf('a', 'a')],
    ['an option of an option', () => option(option(u8))],
    ['a list without a limit', () => list(u8, 0)],
    ['a list of empty records', () => list(record({}), 5)],
    ['text of no size', () => text(0)],
    ['a value above 2 GiB', () => list(list(u32, 2 ** 20), 2 ** 20)],
    ['17 levels', () => Array.from({ length: 17 }).reduce<Form<unknown>>((form) => list(form, 1), u8)],
  ])('are refused: %s', (_, define) => {
    expect(codeOf(define)).toBe('bad-definition');
  });

  it('are refused in descriptions that a node may send', () => {
    const deep = (depth: number): FormDescription =>
      depth === 0 ? { form: 'u8' } : { form: 'list', of: deep(depth - 1), itemsMax: 1 };
    expect(codeOf(() => formOf(deep(5_000)))).toBe('bad-definition');
    expect(codeOf(() => formOf({ form: 'float' } as never))).toBe('bad-definition');
    expect(codeOf(() => formOf({ form: 'toString' } as never))).toBe('bad-definition');
  });

  it('name what is wrong', () => {
    expect(messageOf(() => encode(u8, 256))).toBe('256 is not an integer from 0 to 255');
    expect(messageOf(() => encode(text(2), 'abc'))).toBe('"abc" is not text of at most 2 bytes in UTF-8');
  });
});

it('describes values by JSON Schema', () => {
  expect(jsonSchemaOf(record({ to: account, memo: option(text(9)), side: oneOf('buy', 'sell') }).description)).toEqual({
    type: 'object',
    properties: {
      to: {
        type: 'string',
        pattern: '^0x[0-9a-f]{66}$',
        description: 'An account: one byte for the scheme, then 32 bytes.',
      },
      memo: { anyOf: [{ type: 'string', maxLength: 9, description: 'At most 9 bytes in UTF-8.' }, { type: 'null' }] },
      side: { type: 'string', enum: ['buy', 'sell'] },
    },
    required: ['to', 'side'],
    additionalProperties: false,
  });
});
