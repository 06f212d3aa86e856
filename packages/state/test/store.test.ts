import { fromUtf8, utf8 } from '@slipstream/primitives';
import { describe, expect, test } from 'vitest';
import { type Batch, type StateError, VALUE_BYTES_MAX } from '../src/index.ts';
import { commitBatch, contentsOf, newDisk, open, packedContentsOf, put, remove, TINY } from './builders.ts';

test('a batch is visible through its view when prepared, to readers only when committed', async () => {
  const disk = newDisk();
  const { store } = await open(disk, { genesisBatch: [put('a', '1')] });
  store.prepare('00', '01', [put('a', '2'), put('b', '3')]);
  expect(store.get(utf8('a'))).toEqual(utf8('1'));
  expect(store.view('01').get(utf8('a'))).toEqual(utf8('2'));
  await store.append('01');
  expect(store.get(utf8('b'))).toBeUndefined();
  await store.commit('01');
  expect(store.get(utf8('b'))).toEqual(utf8('3'));
  await store.close();
  const again = await open(disk);
  expect(again.recovered).toEqual({ batch: 1, block: '01', created: false, cut: [] });
  expect(again.store.tip).toEqual(store.tip);
  expect(again.store.get(utf8('a'))).toEqual(utf8('2'));
});

test('the block that wins over an appended rival leaves no trace of it', async () => {
  const { store } = await open(newDisk());
  store.prepare('00', 'aa', [put('x', 'rival')]);
  store.prepare('00', 'bb', [put('y', 'winner')]);
  await store.append('aa');
  await store.revert('aa');
  await store.append('bb');
  await store.commit('bb');
  expect(store.get(utf8('x'))).toBeUndefined();
  expect(store.get(utf8('y'))).toEqual(utf8('winner'));
  expect((await store.stats()).prepared).toBe(0);
});

test('a deleted key stays deleted when the store is opened again', async () => {
  const disk = newDisk();
  const { store } = await open(disk, { genesisBatch: [put('a', '1'), put('b', '2')] });
  await commitBatch(store, '01', [remove('a'), remove('never there')]);
  await store.close();
  const again = await open(disk);
  expect(again.store.get(utf8('a'))).toBeUndefined();
  expect((await again.store.stats()).keys).toBe(1);
});

describe('keys and values', () => {
  test('of every allowed length are read back from memory, overlay and disk', async () => {
    const disk = newDisk();
    const { store } = await open(disk);
    const lengths = [0, 1, 3, 4, 63, 64, 65, 1000, 65_535, 65_536];
    const batch = [1, 2, 4, 31, 32, 33, 62, 63].flatMap((keyBytes) =>
      lengths.map((valueBytes) => ({
        key: new Uint8Array(keyBytes).fill(lengths.indexOf(valueBytes) + 1),
        value: new Uint8Array(valueBytes).fill(keyBytes),
      })),
    );
    store.prepare('00', '01', batch);
    for (const { key, value } of batch) expect(store.view('01').get(key)).toEqual(value);
    await store.append('01');
    await store.commit('01');
    for (const { key, value } of batch) expect(store.get(key)).toEqual(value);
    await store.close();
    const again = await open(disk);
    for (const { key, value } of batch) expect(again.store.get(key)).toEqual(value);
  });

  test('of more than a gibibyte together are refused: their segment could not be read', async () => {
    const { store } = await open(newDisk());
    const count = 16_400;
    // Never written to, so it takes no memory.
    const bytes = new Uint8Array(count * (32 + VALUE_BYTES_MAX));
    const lengths = {
      keyBytes: new Uint8Array(count).fill(32),
      valueBytes: new Int32Array(count).fill(VALUE_BYTES_MAX),
    };
    expect(() => store.prepare('00', '01', { bytes, ...lengths })).toThrow(
      'a batch of more than 1073741824 bytes is not allowed',
    );
  });

  test('of other lengths, or twice in a batch, are refused and leave no trace', async () => {
    const { store } = await open(newDisk());
    const bad: readonly Batch[] = [
      [{ key: new Uint8Array(0), value: undefined }],
      [{ key: new Uint8Array(64), value: undefined }],
      [{ key: new Uint8Array(1), value: new Uint8Array(65_537) }],
      [put('a', '1'), remove('a')],
    ];
    for (const batch of bad) expect(codeOf(() => store.prepare('00', '01', batch))).toBe('bad-batch');
    expect((await store.stats()).prepared).toBe(0);
    store.prepare('00', '01', [put('a', '1')]);
  });

  test('are returned as copies', async () => {
    const { store } = await open(newDisk(), { genesisBatch: [put('a', '1'), put('large', 'x'.repeat(100))] });
    store.get(utf8('a'))?.fill(0);
    store.get(utf8('large'))?.fill(0);
    expect(store.get(utf8('a'))).toEqual(utf8('1'));
    expect(store.get(utf8('large'))).toEqual(utf8('x'.repeat(100)));
  });
});

describe('a block', () => {
  test('is prepared once, on an existing parent', async () => {
    const { store } = await open(newDisk());
    store.prepare('00', '01', []);
    expect(codeOf(() => store.prepare('00', '01', []))).toBe('already-prepared');
    expect(codeOf(() => store.prepare('nowhere', '02', []))).toBe('unknown-block');
    expect(codeOf(() => store.view('nowhere'))).toBe('unknown-block');
  });

  test('is appended after its parent, committed in order, and dropped only before its commit', async () => {
    const { store } = await open(newDisk());
    store.prepare('00', '01', []);
    store.prepare('01', '02', []);
    expect(await codeOfLater(store.append('02'))).toBe('out-of-order');
    await store.append('01');
    await store.append('02');
    expect(await codeOfLater(store.append('02'))).toBe('out-of-order');
    expect(await codeOfLater(store.commit('02'))).toBe('out-of-order');
    expect(codeOf(() => store.drop('02'))).toBe('out-of-order');
    expect(store.pending()).toEqual(['01', '02']);
    await store.commit('01');
    await store.commit('02');
    expect(store.tip.block).toBe('02');
  });

  test('is dropped or reverted with its descendants', async () => {
    const { store } = await open(newDisk());
    store.prepare('00', '01', [put('a', '1')]);
    store.prepare('01', '02', []);
    store.prepare('02', '03', []);
    await store.append('01');
    await store.append('02');
    store.drop('03');
    const view = store.view('02');
    await store.revert('01');
    expect(await store.stats()).toMatchObject({ prepared: 0, pending: 0, keys: 0 });
    expect(codeOf(() => view.get(utf8('a')))).toBe('stale-view');
  });

  test('is dropped with its descendants when a rival is committed', async () => {
    const { store } = await open(newDisk());
    store.prepare('00', 'aa', []);
    store.prepare('aa', 'ab', []);
    await commitBatch(store, 'bb', []);
    expect(await codeOfLater(store.append('aa'))).toBe('unknown-block');
    expect(await codeOfLater(store.append('ab'))).toBe('unknown-block');
  });

  test('has a checksum that depends on its parent, and not on other prepared blocks', async () => {
    const { store } = await open(newDisk());
    const one = store.prepare('00', '01', [put('a', '1')]).checksum;
    store.prepare('00', 'rival', [put('a', '2')]);
    expect(store.prepare('00', '02', [put('a', '1')]).checksum).toEqual(one);
    expect(store.prepare('rival', '03', [put('a', '1')]).checksum).not.toEqual(one);
  });
});

describe('a view', () => {
  test('stays valid while its ancestors are committed, and ends when a later block is committed', async () => {
    const { store } = await open(newDisk(), { genesisBatch: [put('a', '0'), put('b', '0')] });
    store.prepare('00', '01', [put('a', '1')]);
    store.prepare('01', '02', [remove('b')]);
    const tip = store.view('00');
    const view = store.view('02');
    for (const block of ['01', '02']) {
      await store.append(block);
      await store.commit(block);
      expect(view.get(utf8('a'))).toEqual(utf8('1'));
      expect(view.get(utf8('b'))).toBeUndefined();
    }
    expect(codeOf(() => tip.get(utf8('a')))).toBe('stale-view');
    await commitBatch(store, '03', []);
    expect(codeOf(() => view.get(utf8('a')))).toBe('stale-view');
  });
});

test('the genesis state is spread over one batch for each log, and is read back when opened again', async () => {
  const disk = newDisk();
  const genesisBatch = Array.from({ length: 2_000 }, (_, i) => put(`account ${i}`, `${i}`));
  const options = { genesisBatch, parameters: { history: 3 } };
  const { store, recovered } = await open(disk, options);
  expect(recovered).toMatchObject({ batch: 3, block: '00', created: true });
  expect(await store.stats()).toMatchObject({ keys: 2_000, files: 5 });
  await store.close();
  const again = await open(disk, options);
  expect(again.recovered.created).toBe(false);
  expect(again.store.get(utf8('account 1234'))).toEqual(utf8('1234'));
});

test('entries are iterated in key order from a given key', async () => {
  const { store } = await open(newDisk(), {
    genesisBatch: [put('b', '2'), put('c', '3'), put('a', '1'), put('ab', '4')],
  });
  const keys = (from: string | undefined, limit: number) =>
    store.entries(from === undefined ? undefined : utf8(from), limit).map(({ key }) => fromUtf8(key));
  expect(keys(undefined, 10)).toEqual(['a', 'ab', 'b', 'c']);
  expect(keys('aa', 2)).toEqual(['ab', 'b']);
});

test('packed entries are all that is committed, in batches of at most 2,048, until another batch is committed', async () => {
  const genesisBatch = Array.from({ length: 5_000 }, (_, i) =>
    put(`account ${i}`, i % 1_000 === 0 ? 'x'.repeat(65_536) : `${i}`),
  );
  const { store } = await open(newDisk(), { genesisBatch });
  await commitBatch(store, '01', [put('account 7', 'seven'), remove('account 8'), put('new', '')]);
  expect(packedContentsOf(store)).toEqual(contentsOf(store));
  const sizes = Array.from(store.packedEntries(), ({ keyBytes }) => keyBytes.length);
  expect(sizes.length).toBeGreaterThanOrEqual(3);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2_048);
  const entries = store.packedEntries()[Symbol.iterator]();
  entries.next();
  await commitBatch(store, '02', [put('account 9', 'nine')]);
  expect(() => entries.next()).toThrow(expect.objectContaining({ code: 'stale-view' }));
});

test('the journal is replaced before it grows large, and the store continues with the new one', async () => {
  const disk = newDisk();
  const { store } = await open(disk, { parameters: TINY });
  for (let i = 0; i < 4_200; i++) await commitBatch(store, `b${i}`, [put('a', `${i}`)]);
  await store.close();
  expect(disk.paths().filter((path) => path.includes('journal'))).toEqual(['state/0000000000004096.journal']);
  const again = await open(disk, { parameters: TINY });
  expect(again.store.get(utf8('a'))).toEqual(utf8('4199'));
  expect((await again.store.stats()).files).toBeLessThan(10);
});

test('a closed store refuses every call, and close is idempotent', async () => {
  const { store } = await open(newDisk());
  store.prepare('00', '01', []);
  await Promise.all([store.close(), store.close()]);
  expect(await codeOfLater(store.append('01'))).toBe('closed');
});

test.each([{ history: 0 }, { history: 511 }, { moveBytesMax: 0.5 }, { moveBytesMax: 2 ** 28 + 1 }])(
  'parameters out of range are refused: %j',
  async (parameters) => {
    expect(await codeOfLater(open(newDisk(), { parameters }))).toBe('bad-parameters');
  },
);

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return (error as StateError).code;
  }
  return undefined;
}

const codeOfLater = (promise: Promise<unknown>): Promise<string | undefined> =>
  promise.then(
    () => undefined,
    (error: StateError) => error.code,
  );
