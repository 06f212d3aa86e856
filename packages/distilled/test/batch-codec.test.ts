/** One batch, one form: what decodes encodes to the same bytes, and all else is refused by name. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCH_BYTES_MAX, BATCH_ROWS_MAX, type Batch, columnsOf, decodeBatch, encodeBatch } from '../src/index.ts';
import { anyBatch } from './random-batches.ts';
import { headerOf, ringOf, row } from './world.ts';

const HEADER = 106;

function withoutKeys(rows: readonly ReturnType<typeof row>[], header = {}): Batch {
  return {
    header: headerOf(rows, header),
    rows: columnsOf(rows),
    stragglers: [],
    aggregate: new Uint8Array(96).fill(5),
  };
}

function codeOf(bytes: Uint8Array): string {
  const decoded = decodeBatch(bytes);
  return decoded.ok ? 'ok' : decoded.error.code;
}

/** With `part` in place of `length` bytes at `at`. */
function spliced(bytes: Uint8Array, at: number, length: number, ...part: readonly number[]): Uint8Array {
  return Uint8Array.from([...bytes.subarray(0, at), ...part, ...bytes.subarray(at + length)]);
}

describe('the wire form of a batch', () => {
  it('is read as it was written, edge values of each column included', () => {
    fc.assert(
      fc.property(anyBatch, (batch) => {
        const decoded = decodeBatch(encodeBatch(batch));
        expect(decoded).toEqual({ ok: true, value: batch });
      }),
    );
  });

  it('takes five bytes a row for small numbers', () => {
    const bytes = encodeBatch(withoutKeys(ringOf(100)));
    expect(bytes.length).toBe(HEADER + 5 * 100 + 1 + 96);
  });

  it('fits its bound with the largest number in each column', () => {
    const big = 2 ** 32 - 1;
    const rows = Array.from({ length: BATCH_ROWS_MAX }, (_, i) =>
      row(big, big, 2n ** 64n - 1n, big - BATCH_ROWS_MAX + i, big),
    );
    const stragglers = rows.map((_, position) => ({
      position,
      expiryMs: Number.MAX_SAFE_INTEGER,
      feeCap: 2n ** 64n - 1n,
      signature: new Uint8Array(64),
    }));
    const bytes = encodeBatch({ ...withoutKeys(rows), stragglers, aggregate: undefined });
    expect(bytes.length).toBeLessThanOrEqual(BATCH_BYTES_MAX);
    expect(codeOf(bytes)).toBe('ok');
  });

  it('has no second form: no flipped bit decodes to the same batch', () => {
    const batch = withoutKeys([row(3, 200, 70_000, 5, 1), row(3, 4, 9, 6), row(9, 1, 2n ** 40n)]);
    const bytes = encodeBatch(batch);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
      const decoded = decodeBatch(damaged);
      if (decoded.ok) expect(encodeBatch(decoded.value)).toEqual(damaged);
    }
  });

  const sound = encodeBatch(withoutKeys([row(1, 2, 3), row(1, 2, 3, 2)]));
  const cases: readonly (readonly [string, string, Uint8Array])[] = [
    ['more bytes than a batch can have', 'oversize', new Uint8Array(BATCH_BYTES_MAX + 1)],
    ['an unknown version', 'bad-header', spliced(sound, 0, 1, 2)],
    ['an unknown kind', 'bad-header', spliced(sound, 1, 1, 0)],
    ['no rows', 'bad-header', spliced(sound, 70, 4, 0, 0, 0, 0)],
    ['too many rows', 'bad-header', spliced(sound, 70, 4, 1, 32, 0, 0)],
    ['rows that are announced only', 'cut-short', spliced(sound, 70, 4, 0, 32, 0, 0)],
    ['a header that is cut', 'cut-short', sound.subarray(0, 50)],
    ['columns that end early', 'cut-short', spliced(sound, HEADER, sound.length, 1, 0, 2, 2, 3, 3, 1, 2, 0, 0x80)],
    ['a longer form of a number', 'not-shortest', spliced(sound, HEADER, 1, 0x81, 0)],
    ['a number beyond its column', 'too-large', spliced(sound, HEADER, 1, 255, 255, 255, 255, 16)],
    ['a sum of differences beyond its column', 'too-large', spliced(sound, HEADER, 2, 255, 255, 255, 255, 15, 1)],
    ['an amount above 64 bits', 'too-large', spliced(sound, HEADER + 4, 1, ...new Array(9).fill(255), 2)],
    ['a sequence that does not ascend', 'not-ascending', spliced(sound, HEADER + 7, 1, 1)],
    ['more stragglers than rows', 'bad-stragglers', spliced(sound, HEADER + 10, 1, 3)],
    ['a missing aggregate', 'cut-short', sound.subarray(0, HEADER + 11)],
    ['bytes after the batch', 'too-long', spliced(sound, sound.length, 0, 0)],
  ];
  it.each(cases)('is refused with %s: %s', (_, code, bytes) => expect(codeOf(bytes)).toBe(code));

  it('is refused with stragglers that do not ascend, or of no row', () => {
    const straggler = { position: 0, expiryMs: 1, feeCap: 1n, signature: new Uint8Array(64) };
    const rows = [row(1, 2, 3), row(1, 2, 3, 2)];
    const batch = {
      ...withoutKeys(rows),
      stragglers: [straggler, { ...straggler, position: 1 }],
      aggregate: undefined,
    };
    const bytes = encodeBatch(batch);
    const first = bytes.length - 2 * 84;
    expect(codeOf(bytes)).toBe('ok');
    expect(codeOf(spliced(bytes, first, 1, 1))).toBe('bad-stragglers');
    expect(codeOf(spliced(bytes, first + 84, 1, 2))).toBe('bad-stragglers');
    expect(codeOf(spliced(bytes, first + 11, 1, 1))).toBe('bad-stragglers');
  });

  it('is not written with stragglers that would be refused', () => {
    const straggler = { position: 0, expiryMs: 1, feeCap: 1n, signature: new Uint8Array(64) };
    const batch = { ...withoutKeys([row(1, 2, 3), row(1, 2, 3, 2)]), aggregate: undefined };
    const written = (...changes: readonly object[]) =>
      encodeBatch({ ...batch, stragglers: changes.map((change) => ({ ...straggler, ...change })) });
    expect(codeOf(written({}, { position: 1 }))).toBe('ok');
    expect(() => written({ position: 1 }, {})).toThrow('ascend');
    expect(() => written({}, { position: 2 })).toThrow('within the rows');
    expect(() => written({}, { position: 1 }, { position: 2 })).toThrow('within the rows');
    expect(() => written({ expiryMs: 2 ** 53 }, { position: 1 })).toThrow('fit');
    expect(() => written({ feeCap: -1n }, { position: 1 })).toThrow('fit');
  });

  it('is refused with an aggregate that no row needs', () => {
    const straggler = { position: 0, expiryMs: 1, feeCap: 1n, signature: new Uint8Array(64) };
    const batch = { ...withoutKeys([row(1, 2, 3)]), stragglers: [straggler], aggregate: undefined };
    const bytes = encodeBatch(batch);
    expect(codeOf(Uint8Array.from([...bytes, ...new Uint8Array(96)]))).toBe('too-long');
  });
});
