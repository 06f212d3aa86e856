/** Compares the parts of the index with a Map or an array. */
import { createRandom } from '@slipstream/simulator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CELL_HEAD_WORDS, createCells, PAGE_MASK, packCell } from '../src/key-table/cells.ts';
import { orderByHash } from '../src/key-table/hash-order.ts';
import { hashWords, readHashKey } from '../src/key-table/key-hash.ts';
import { createKeyTable } from '../src/key-table/key-table.ts';
import { headOfPut } from '../src/log/format.ts';
import { endOfRow, readNullify } from '../src/log/log-scan.ts';
import { appendNullify, createSegmentWriter } from '../src/log/segment-writer.ts';
import { createBufferPool } from '../src/typed-arrays/buffer-pool.ts';
import { clear, createGrowingList, push } from '../src/typed-arrays/growing-list.ts';
import { createOrdinals } from '../src/typed-arrays/ordinals.ts';

const hashKey = readHashKey(new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]));

describe('the key hash', () => {
  test('spreads consecutive keys over low and high bits', () => {
    for (const bits of [(h: number) => h & 1023, (h: number) => h >>> 22]) {
      const buckets = new Int32Array(1024);
      for (let i = 0; i < 102_400; i++) {
        const words = Int32Array.of(0, 0, 0, i, 0, 0, 0, 0);
        const bucket = bits(hashWords(hashKey, words, 0, 32));
        buckets[bucket] = (buckets[bucket] as number) + 1;
      }
      expect(Math.max(...buckets)).toBeLessThan(160);
      expect(Math.min(...buckets)).toBeGreaterThan(50);
    }
  });

  test('distinguishes keys of different lengths that pad to the same words', () => {
    const words = Int32Array.of(5, 0, 0);
    const hashes = [1, 2, 3, 4, 5, 8, 9, 12].map((bytes) => hashWords(hashKey, words, 0, bytes));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

function newTable() {
  const cells = createCells();
  const table = createKeyTable(cells);
  const scratch = new Int32Array(1);
  const hashOf = (key: number) => {
    scratch[0] = key;
    return hashWords(hashKey, scratch, 0, 4);
  };
  const find = (key: number) => table.find(scratch, 0, 4, hashOf(key));
  const cellFor = (key: number) => {
    const address = cells.allocate(CELL_HEAD_WORDS + 1);
    const page = cells.page(address);
    page[(address & PAGE_MASK) + 1] = packCell(0, 4, 0);
    page[(address & PAGE_MASK) + CELL_HEAD_WORDS] = key;
    return address;
  };
  return { cells, table, hashOf, find, cellFor };
}

describe('the key table', () => {
  test('finds every key while it grows over many buckets, and no removed key', () => {
    const { cells, table, hashOf, find, cellFor } = newTable();
    const random = createRandom('table');
    const model = new Map<number, number>();
    for (let i = 0; i < 60_000; i++) {
      const key = random.below(30_000);
      const address = model.get(key);
      if (address === undefined) {
        model.set(key, cellFor(key));
        table.insert(hashOf(key), model.get(key) as number);
      } else if (random.chance(0.5)) {
        table.remove(hashOf(key), address);
        cells.free(address, CELL_HEAD_WORDS + 1);
        model.delete(key);
      } else {
        model.set(key, cellFor(key));
        table.replace(hashOf(key), address, model.get(key) as number);
        cells.free(address, CELL_HEAD_WORDS + 1);
      }
    }
    for (let key = 0; key < 30_000; key++) expect(find(key)).toBe(model.get(key) ?? 0);
    const seen = new Set<number>();
    table.each((address) => seen.add(address));
    expect(seen).toEqual(new Set(model.values()));
    expect(table.count).toBe(model.size);
  });

  test('finds and removes thousands of keys at once as it does one by one', () => {
    const { table, hashOf, find, cellFor } = newTable();
    const random = createRandom('thousands');
    const model = new Map<number, number>();
    for (const count of [1, 7, 3_000, 20_000, 0, 5_000]) {
      const keys = Array.from({ length: count }, (_, i) => (random.chance(0.5) ? i : 1_000_000 + i));
      const batch = batchOf(keys, hashOf);
      table.findEach(batch, 0, count, count, batch.addresses);
      expect([...batch.addresses]).toEqual(keys.map((key) => model.get(key) ?? 0));
      const fresh = batch.addresses.map((address, i) => (address === 0 ? cellFor(keys[i] as number) : 0));
      table.insertEach(batch, fresh, 0, count);
      for (const [i, address] of fresh.entries()) if (address !== 0) model.set(keys[i] as number, address);
      expect(table.count).toBe(model.size);
      for (const key of keys) expect(find(key)).toBe(model.get(key) ?? 0);
    }
  });
});

function batchOf(keys: readonly number[], hashOf: (key: number) => number) {
  const count = keys.length;
  const [order, sorted, addresses] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
  const words = Int32Array.from(keys);
  orderByHash(Int32Array.from(keys, hashOf), count, order, sorted);
  const head = new Int32Array(count).fill(headOfPut(4, 0));
  return { words, keyAt: Int32Array.from(keys, (_, i) => i), head, order, sorted, addresses };
}

test('the index order is by the high bits of the hashes, and stable', () => {
  const random = createRandom('order');
  for (const count of [0, 1, 15, 16, 100, 40_000]) {
    const hash = Int32Array.from({ length: count }, () => random.below(2 ** 32) | 0);
    const [order, sorted] = [new Int32Array(count), new Int32Array(count)];
    orderByHash(hash, count, order, sorted);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from(order, (_, i) => i));
    expect(sorted).toEqual(order.map((i) => hash[i] as number));
    const bits = count < 16 ? 0 : Math.min(11, Math.floor(Math.log2(count / 8)));
    const parts = Array.from(sorted, (each) => (bits === 0 ? 0 : each >>> (32 - bits)));
    for (let i = 1; i < count; i++) {
      const [before, part] = [parts[i - 1] as number, parts[i] as number];
      expect(before < part || (before === part && (order[i - 1] as number) < (order[i] as number))).toBe(true);
    }
  }
});

describe('cells', () => {
  test('of one size never overlap, and freed ones are reused', () => {
    const cells = createCells();
    const taken = new Set<number>();
    for (let i = 0; i < 10_000; i++) taken.add(cells.allocate(7));
    expect(taken.size).toBe(10_000);
    const sorted = [...taken].sort((a, b) => a - b);
    for (let i = 1; i < sorted.length; i++)
      expect((sorted[i] as number) - (sorted[i - 1] as number)).toBeGreaterThan(6);
    const { bytes } = cells;
    for (const address of taken) cells.free(address, 7);
    for (let i = 0; i < 10_000; i++) expect(taken.has(cells.allocate(7))).toBe(true);
    expect(cells.bytes).toBe(bytes);
  });
});

const ordinals = fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 31 - 1 }), { maxLength: 50 });

test('ordinals are sorted as numbers, few and many, in reused memory', () => {
  const random = createRandom('ordinals');
  const ordinals = createOrdinals();
  for (const length of [0, 1, 10, 5_000]) {
    for (const below of [3, 2_000, 2 ** 31 - 1]) {
      const values = Int32Array.from({ length }, () => random.below(below));
      ordinals.begin();
      for (const value of values) push(ordinals.list, value);
      expect(ordinals.sorted()).toEqual(values.slice().sort());
    }
  }
});

test('a Nullify record reads back with its ordinals', () => {
  fc.assert(
    fc.property(ordinals, (values) => {
      const sorted = Int32Array.from(values).sort();
      const writer = createSegmentWriter(new Int32Array(1_000).fill(-1));
      const { at } = writer;
      appendNullify(writer, sorted);
      if (sorted.length === 0) expect(writer.at).toBe(at);
      else expect(readNullify(writer.words, at)).toEqual(sorted);
      if (sorted.length > 0) expect(endOfRow(writer.words, at, 1_000)).toBe(writer.at);
    }),
  );
});

describe('a list that is cleared', () => {
  const filled = () => {
    const list = createGrowingList();
    for (let i = 0; i < 1_000; i++) push(list, i);
    return list;
  };

  test('keeps its memory for as many values, or a quarter of them', () => {
    const list = filled();
    const { values } = list;
    clear(list);
    expect([list.length, list.values]).toEqual([0, values]);
    for (let i = 0; i < 400; i++) push(list, i);
    clear(list);
    expect(list.values).toBe(values);
  });

  test('frees its memory when far fewer values are expected', () => {
    const list = filled();
    clear(list, 10);
    expect([list.length, list.values.length]).toEqual([0, 0]);
  });
});

describe('a buffer pool', () => {
  const limits = { countMax: 3, sizeMax: 100 };
  const poolOf = (...lengths: number[]) => {
    const pool = createBufferPool<Int32Array>(({ length }) => length, limits);
    for (const length of lengths) pool.put(new Int32Array(length));
    return pool;
  };

  test('hands out the smallest buffer that is large enough, each one once', () => {
    const pool = poolOf(30, 10, 20);
    expect(pool.take(11)?.length).toBe(20);
    expect(pool.take(11)?.length).toBe(30);
    expect(pool.take(11)).toBeUndefined();
    expect(pool.takeLargest()?.length).toBe(10);
    expect(pool.takeLargest()).toBeUndefined();
  });

  test('hands out no buffer that is too large', () => {
    expect(poolOf(30).take(3, 29)).toBeUndefined();
  });

  test('retains the largest buffers, up to its maximum, and no empty one', () => {
    const pool = poolOf(10, 20, 0, 30, 40, 101);
    expect([1, 2, 3, 4].map(() => pool.take(1)?.length)).toEqual([20, 30, 40, undefined]);
    const full = poolOf(60, 50);
    expect([1, 2].map(() => full.take(1)?.length)).toEqual([60, undefined]);
  });
});
