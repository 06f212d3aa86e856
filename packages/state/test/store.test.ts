import { silentTelemetry } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { openStateStore } from '../src/index.ts';
import { createMemoryDisk } from './memory-disk.ts';

const put = (key: string, value: string) => ({ key: utf8(key), value: utf8(value) });

function open(disk = createMemoryDisk()) {
  const options = {
    directory: 'state',
    genesisHash: new Uint8Array(32),
    genesisBlock: '00',
    genesisBatch: [put('a', '1')],
  };
  return openStateStore({ disk, telemetry: silentTelemetry }, options);
}

test('a batch is visible through its view when prepared, to readers only when committed', async () => {
  const disk = createMemoryDisk();
  const { store } = await open(disk);
  store.prepare('00', '01', [put('a', '2'), put('b', '3')]);
  expect(store.get(utf8('a'))).toEqual(utf8('1'));
  expect(store.view('01').get(utf8('a'))).toEqual(utf8('2'));
  await store.append('01');
  expect(store.get(utf8('b'))).toBeUndefined();
  await store.commit('01');
  expect(store.get(utf8('b'))).toEqual(utf8('3'));
  await store.close();
  const again = await open(disk);
  expect(again.recovered.block).toBe('01');
  expect(again.store.tip).toEqual(store.tip);
  expect(again.store.get(utf8('a'))).toEqual(utf8('2'));
});

test('the block that wins over an appended rival leaves no trace of it', async () => {
  const { store } = await open();
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
