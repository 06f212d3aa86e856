import type { KeyValue } from '@slipstream/ports';
import { expect, test } from 'vitest';
import { createRandom, createSimKeyValue } from '../src/index.ts';

const put = (key: number, value: number) =>
  ({ type: 'put', key: new Uint8Array([key]), value: new Uint8Array([value]) }) as const;

async function keysOf(store: KeyValue): Promise<readonly number[]> {
  const entries = await store.range({ from: new Uint8Array([0]), to: new Uint8Array([255]), limit: 1_000 });
  return entries.map(({ key }) => key[0] as number);
}

test('a crash loses unsynced batches from the end, whole ones only, and never a synced one', async () => {
  const lengths = new Set<number>();
  for (let seed = 0; seed < 60; seed++) {
    const store = createSimKeyValue({ random: createRandom(seed) });
    const port = store.mount();
    for (let i = 0; i < 10; i++) await port.batch([put(2 * i, i), put(2 * i + 1, i)], { sync: i === 3 });
    store.crash(seed % 3 === 0 ? 'lose-all' : 'subset');
    const keys = await keysOf(store.mount());
    expect(keys).toEqual(Array.from({ length: keys.length }, (_, i) => i));
    expect(keys.length % 2).toBe(0);
    expect(keys.length).toBeGreaterThanOrEqual(8);
    if (seed % 3 === 0) expect(keys).toHaveLength(8);
    lengths.add(keys.length);
  }
  expect(lengths.size).toBeGreaterThan(3);
});

test('a lost batch restores what it had overwritten or deleted', async () => {
  const store = createSimKeyValue({ random: createRandom(1) });
  const port = store.mount();
  await port.batch([put(1, 1), put(2, 2)], { sync: true });
  await port.batch([put(1, 9), { type: 'delete', key: new Uint8Array([2]) }, put(1, 8)]);
  store.crash('lose-all');
  const again = store.mount();
  expect(await again.getMany([new Uint8Array([1]), new Uint8Array([2])])).toEqual([
    new Uint8Array([1]),
    new Uint8Array([2]),
  ]);
});

test('a failing batch changes nothing', async () => {
  const store = createSimKeyValue({ random: createRandom(1) });
  store.failWhen(({ index }) => (index === 2 ? 'io' : undefined));
  const port = store.mount();
  await port.batch([put(1, 1)]);
  await expect(port.batch([put(2, 2)])).rejects.toMatchObject({ code: 'io' });
  expect(await keysOf(port)).toEqual([1]);
});

test('a store has something to lose from an unsynced batch on, until a later one is synced or it has crashed', async () => {
  const store = createSimKeyValue({ random: createRandom(1) });
  const port = store.mount();
  await port.batch([put(1, 1)], { sync: true });
  expect(store.hasUnsynced).toBe(false);
  await port.batch([put(2, 2)]);
  expect(store.hasUnsynced).toBe(true);
  await port.batch([put(3, 3)], { sync: true });
  expect(store.hasUnsynced).toBe(false);
  await port.batch([put(4, 4)]);
  store.crash('lose-all');
  expect(store.hasUnsynced).toBe(false);
});
