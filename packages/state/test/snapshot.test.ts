import { createLifetime } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import {
  installSnapshot,
  isSnapshotFile,
  listSnapshots,
  readSnapshot,
  type StateSnapshot,
  stateSnapshotCodec,
} from '../src/index.ts';
import { commitBatch, contentsOf, FOLDER, newDisk, open, put, remove, TINY } from './builders.ts';

const POLICY = { directory: 'snapshots', every: 5, keep: 2 };
const IDENTITY = { genesisHash: new Uint8Array(32).fill(7), history: TINY.history };
const PIECE_BYTES = 100;

const batchOf = (i: number) => [
  put(`key ${i % 11}`, `value ${i}`.repeat(20)),
  ...(i % 4 === 0 ? [remove(`key ${(i + 3) % 11}`)] : []),
];
const blockOf = (i: number) => String(i).padStart(2, '0');

async function storeWithSnapshots(batches: number) {
  const disk = newDisk();
  const { store } = await open(disk, { parameters: TINY, snapshots: POLICY });
  for (let i = 1; i <= batches; i++) await commitBatch(store, blockOf(i), batchOf(i));
  return { disk, store, mounted: disk.mount(createLifetime()) };
}

async function copyFiles(
  from: ReturnType<ReturnType<typeof newDisk>['mount']>,
  to: ReturnType<ReturnType<typeof newDisk>['mount']>,
  snapshot: StateSnapshot,
): Promise<boolean[]> {
  const sound: boolean[] = [];
  await to.makeDirectory(FOLDER);
  for (const each of snapshot.files) {
    const file = await to.open(`${FOLDER}/${String(each.file).padStart(16, '0')}.log`, { create: true });
    for (let at = 0; at < each.bytes; at += PIECE_BYTES) {
      const piece = await readSnapshot(from, POLICY.directory, snapshot, each.file, at, PIECE_BYTES);
      await file.write(at, [piece ?? new Uint8Array()]);
    }
    sound.push(await isSnapshotFile(file, snapshot, each, IDENTITY));
    await file.close();
  }
  return sound;
}

test('every fifth batch has a snapshot, and the newest two are retained', async () => {
  const { mounted } = await storeWithSnapshots(23);
  const found = await listSnapshots(mounted, POLICY.directory);
  expect(found.map(({ batch }) => batch)).toEqual([20, 15]);
  expect(found.map((snapshot) => stateSnapshotCodec.decode(stateSnapshotCodec.encode(snapshot)).ok)).toEqual([
    true,
    true,
  ]);
});

test('a snapshot whose index has any bit flipped is ignored', async () => {
  const { disk, mounted } = await storeWithSnapshots(10);
  const path = `${POLICY.directory}/${'5'.padStart(16, '0')}/index`;
  const index = disk.contents(path) as Uint8Array;
  for (let bit = 0; bit < 8 * index.length; bit++) {
    const damaged = index.slice();
    damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
    disk.replaceContents(path, damaged);
    expect((await listSnapshots(mounted, POLICY.directory)).map(({ batch }) => batch)).toEqual([10]);
  }
  disk.replaceContents(path, index);
  expect((await listSnapshots(mounted, POLICY.directory)).map(({ batch }) => batch)).toEqual([10, 5]);
});

test('a store of fetched files continues with the same bytes after its source has compacted', async () => {
  const { mounted, store } = await storeWithSnapshots(23);
  const snapshot = (await listSnapshots(mounted, POLICY.directory)).at(-1) as StateSnapshot;
  const disk = newDisk();
  const target = disk.mount(createLifetime());
  expect(await copyFiles(mounted, target, snapshot)).not.toContain(false);
  await installSnapshot(target, FOLDER, snapshot, IDENTITY);
  const joined = await open(disk, { parameters: TINY });
  expect(joined.recovered).toMatchObject({ batch: 15, block: blockOf(15), created: false, cut: [] });
  for (let i = 16; i <= 23; i++) await commitBatch(joined.store, blockOf(i), batchOf(i));
  expect(joined.store.tip).toEqual(store.tip);
  expect(contentsOf(joined.store)).toEqual(contentsOf(store));
  expect((await joined.store.verify()).faults).toEqual([]);
});

test('a fetched file with one wrong bit, too short or too long is refused', async () => {
  const { mounted } = await storeWithSnapshots(10);
  const [snapshot] = await listSnapshots(mounted, POLICY.directory);
  if (snapshot === undefined) throw new Error('no snapshot');
  const target = newDisk().mount(createLifetime());
  await copyFiles(mounted, target, snapshot);
  const [expected] = snapshot.files;
  if (expected === undefined) throw new Error('no file');
  const file = await target.open(`${FOLDER}/${String(expected.file).padStart(16, '0')}.log`);
  const sound = () => isSnapshotFile(file, snapshot, expected, IDENTITY);
  const [byte = 0] = await file.read(expected.bytes - 40, 1);
  await file.write(expected.bytes - 40, [new Uint8Array([byte ^ 1])]);
  expect(await sound()).toBe(false);
  await file.write(expected.bytes - 40, [new Uint8Array([byte])]);
  expect(await sound()).toBe(true);
  await file.write(expected.bytes, [new Uint8Array(4)]);
  expect(await sound()).toBe(false);
  await file.truncate(expected.bytes - 4);
  expect(await sound()).toBe(false);
});
