/** Compliance suite for every KeyValue. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KeyValue, KeyValueOperation } from '../src/index.ts';

const bytes = (...values: number[]) => new Uint8Array(values);
const FIRST = bytes();
const LAST = new Uint8Array(40).fill(255);

export function describeKeyValue(name: string, createKeyValue: () => Promise<KeyValue>): void {
  describe(`${name}: key-value store`, () => {
    test('returns stored values, and undefined for absent and deleted keys', async () => {
      const store = await createKeyValue();
      await store.batch([
        { type: 'put', key: bytes(1), value: bytes(10, 11) },
        { type: 'put', key: bytes(1, 0), value: bytes() },
      ]);
      expect(await store.get(bytes(1))).toEqual(bytes(10, 11));
      expect(await store.get(bytes(1, 0))).toEqual(bytes());
      expect(await store.get(bytes(2))).toBeUndefined();
      await store.batch([{ type: 'delete', key: bytes(1) }], { sync: true });
      expect(await store.getMany([bytes(1), bytes(1, 0)])).toEqual([undefined, bytes()]);
      await store.close();
    });

    test('applies a batch in its order', async () => {
      const store = await createKeyValue();
      await store.batch([
        { type: 'put', key: bytes(1), value: bytes(1) },
        { type: 'delete', key: bytes(1) },
        { type: 'put', key: bytes(2), value: bytes(1) },
        { type: 'put', key: bytes(2), value: bytes(2) },
      ]);
      expect(await store.getMany([bytes(1), bytes(2)])).toEqual([undefined, bytes(2)]);
      await store.close();
    });

    test('iterates from (inclusive) to (exclusive) in byte order, either way, up to a limit', async () => {
      const store = await createKeyValue();
      const keys = [bytes(0), bytes(1), bytes(1, 0), bytes(1, 255), bytes(2), bytes(128), bytes(255)];
      await store.batch([...keys].reverse().map((key) => ({ type: 'put', key, value: key })));
      const keysIn = async (from: Uint8Array, to: Uint8Array, limit = 100, reverse = false) =>
        (await store.range({ from, to, limit, reverse })).map(({ key }) => [...key]);
      expect(await keysIn(FIRST, LAST)).toEqual(keys.map((key) => [...key]));
      expect(await keysIn(bytes(1), bytes(2))).toEqual([[1], [1, 0], [1, 255]]);
      expect(await keysIn(bytes(1), bytes(2), 2)).toEqual([[1], [1, 0]]);
      expect(await keysIn(bytes(1), bytes(2), 2, true)).toEqual([
        [1, 255],
        [1, 0],
      ]);
      expect(await keysIn(bytes(2), bytes(1))).toEqual([]);
      expect(await keysIn(bytes(3), bytes(3))).toEqual([]);
      await store.close();
    });

    test('keeps stored values when the caller changes its bytes afterwards', async () => {
      const store = await createKeyValue();
      const value = bytes(1, 2, 3);
      await store.batch([{ type: 'put', key: bytes(1), value }]);
      value.fill(9);
      expect(await store.get(bytes(1))).toEqual(bytes(1, 2, 3));
      await store.close();
    });

    test('refuses use after close', async () => {
      const store = await createKeyValue();
      await store.close();
      await store.close();
      await expect(store.get(bytes(1))).rejects.toMatchObject({ code: 'closed' });
      await expect(store.batch([{ type: 'delete', key: bytes(1) }])).rejects.toMatchObject({ code: 'closed' });
    });

    test('is a sorted map, for any batches', async () => {
      const key = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((each) => each.map((byte) => byte % 4));
      const operation: fc.Arbitrary<KeyValueOperation> = fc.oneof(
        fc.record({ type: fc.constant('put' as const), key, value: fc.uint8Array({ maxLength: 5 }) }),
        fc.record({ type: fc.constant('delete' as const), key }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 8 }), { maxLength: 8 }), async (batches) => {
          const store = await createKeyValue();
          const model = new Map<string, readonly number[]>();
          for (const batch of batches) {
            await store.batch(batch);
            for (const each of batch) {
              const text = String.fromCharCode(...each.key);
              if (each.type === 'put') model.set(text, [...each.value]);
              else model.delete(text);
            }
          }
          const entries = await store.range({ from: FIRST, to: LAST, limit: 1_000 });
          const expected = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
          expect(entries.map((entry) => [String.fromCharCode(...entry.key), [...entry.value]])).toEqual(expected);
          await store.close();
        }),
        { numRuns: 25 },
      );
    });
  });
}
