/** A removed file must not reappear after a later power cut and pass for a file of its log. */
import { expect, test } from 'vitest';
import { commitBatch, logsOf, NO_ROOM, newDisk, open, put, remove, TINY } from './builders.ts';

const accounts = Array.from({ length: 20 }, (_, i) => `account ${i}`);
const options = {
  parameters: { ...TINY, history: 1 },
  preallocation: NO_ROOM,
  genesisBatch: accounts.map((name) => put(name, 'x'.repeat(40))),
};

/** The rival writes as much as its log's live bytes, so it begins a new file. The winner continues the old one. */
async function withAppendedRival() {
  const disk = newDisk();
  const { store } = await open(disk, options);
  await commitBatch(store, '01', accounts.slice(11).map(remove));
  store.prepare(
    '01',
    'rival',
    accounts.map((_, i) => put(`rival ${i}`, 'y'.repeat(40))),
  );
  await store.append('rival');
  expect([...logsOf(disk).keys()]).toContain('state/0000000000000002.log');
  return { disk, store };
}

test('a file name is reused when its block was reverted', async () => {
  const { disk, store } = await withAppendedRival();
  await store.revert('rival');
  await commitBatch(store, '02', []);
  disk.crash('lose-all');
  expect((await open(disk, options)).recovered).toMatchObject({ block: '02', cut: [] });
});

test('a file name is reused when opening found it uncommitted', async () => {
  const { disk } = await withAppendedRival();
  disk.crash('lose-none');
  const { store, recovered } = await open(disk, options);
  expect(recovered.cut).toMatchObject([{ file: 'state/0000000000000002.log', reason: 'uncommitted' }]);
  await commitBatch(store, '02', []);
  disk.crash('lose-all');
  expect((await open(disk, options)).recovered).toMatchObject({ block: '02', cut: [] });
});
