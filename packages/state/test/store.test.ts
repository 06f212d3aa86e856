import { utf8 } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { commitBatch, newDisk, open, put, remove } from './builders.ts';

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
  expect(store.stats().prepared).toBe(0);
});

test('a deleted key stays deleted when the store is opened again', async () => {
  const disk = newDisk();
  const { store } = await open(disk, { genesisBatch: [put('a', '1'), put('b', '2')] });
  await commitBatch(store, '01', [remove('a'), remove('never there')]);
  await store.close();
  const again = await open(disk);
  expect(again.store.get(utf8('a'))).toBeUndefined();
  expect(again.store.stats().keys).toBe(1);
});
