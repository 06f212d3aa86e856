/** Cells that are made while the disk writes a batch belong to nobody until it is committed. */
import { utf8 } from '@slipstream/primitives';
import { expect, test } from 'vitest';
import { commitBatch, contentsOf, newDisk, open, put, remove, TINY } from './builders.ts';

const names = Array.from({ length: 20 }, (_, i) => `account ${i + 10}`);
const options = { parameters: { ...TINY, history: 1 }, genesisBatch: names.map((name) => put(name, 'x'.repeat(40))) };

test('an appended rival that begins its log anew is not taken for what the old file held (found by seed 23)', async () => {
  const { store } = await open(newDisk(), options);
  const ended = names.filter((name) => name > 'account 17').map(remove);
  await commitBatch(store, '01', [...ended, remove('account 15')]);
  const emptied = ['account 16', 'account 17'].map(remove);
  const alone = store.prepare('01', 'first', emptied).checksum;
  const small = ['a', 'b', 'c', 'd', 'e'].map((name) => put(name, ''));
  store.prepare('01', 'rival', [...small, put('rival six', 'y'.repeat(40)), ...emptied]);
  await store.append('rival');
  expect(store.prepare('01', 'second', emptied).checksum).toEqual(alone);
});

test('a reverted block gives back what was made for it', async () => {
  const { store } = await open(newDisk(), options);
  const before = contentsOf(store);
  for (let i = 0; i < 2_000; i++) {
    store.prepare('00', 'rival', [put(`new ${i}`, 'z'.repeat(60)), put('large', 'z'.repeat(2_000))]);
    await store.append('rival');
    await store.revert('rival');
  }
  const bytes = store.stats().indexBytes;
  expect(contentsOf(store)).toEqual(before);
  await commitBatch(store, '01', [put('new 5', 'z'.repeat(60))]);
  expect(store.get(utf8('new 5'))).toEqual(utf8('z'.repeat(60)));
  expect(store.stats().indexBytes - bytes).toBeLessThan(1_000);
});
