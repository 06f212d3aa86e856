/** Zeros behind the next log: written in idle time, never in a batch's way. */
import { setImmediate } from 'node:timers/promises';
import { silentTelemetry } from '@slipstream/ports';
import type { DiskCall, SimDisk } from '@slipstream/simulator';
import { expect, test, vi } from 'vitest';
import { openStateStore, type StateStore } from '../src/index.ts';
import {
  commitBatch,
  FOLDER,
  GENESIS,
  logsOf,
  NO_ROOM,
  newDisk,
  open,
  put,
  TINY,
  TINY_PREALLOCATION,
} from './builders.ts';

const parameters = { ...TINY, moveBytesMax: 1 };
/** The log of batches 1, 5, 9, ... */
const LOG = 'state/0000000000000001.log';

const SMALL = [put('small', 'one')];
/** Larger than the preallocation. */
const largeBatch = (block: string) => Array.from({ length: 8 }, (_, i) => put(`${block} ${i}`, 'x'.repeat(30)));

async function commitLarge(store: StateStore, block: string): Promise<void> {
  await commitBatch(store, block, largeBatch(block));
  await setImmediate();
}

/** Batch 4 is committed, and zeros are written for batch 5. */
async function withPreallocation(disk: SimDisk, preallocation = TINY_PREALLOCATION): Promise<StateStore> {
  const { store } = await open(disk, { parameters, preallocation });
  for (const block of ['01', '02', '03', '04']) await commitLarge(store, block);
  return store;
}

const lengthOf = (disk: SimDisk) => disk.contents(LOG)?.length ?? 0;

/** Without preallocation. */
async function withoutPreallocation(commit: (store: StateStore) => Promise<void>): Promise<Map<string, string>> {
  const disk = newDisk();
  const store = await withPreallocation(disk, NO_ROOM);
  await commit(store);
  await store.close();
  return logsOf(disk);
}

test('a segment is written over durable zeros, and the remaining zeros are truncated', async () => {
  const [disk, plain] = [newDisk(), newDisk()];
  const store = await withPreallocation(disk);
  await withPreallocation(plain, NO_ROOM);
  const length = lengthOf(plain) + TINY_PREALLOCATION.bytesMax;
  expect([...disk.durableContents()].filter((bytes) => bytes.length === length).length).toBe(1);
  await commitBatch(store, '05', SMALL);
  expect(lengthOf(disk)).toBe(length);
  expect((await store.verify()).faults).toEqual([]);
  await commitLarge(store, '06');
  const logs = await withoutPreallocation(async (other) => {
    await commitBatch(other, '05', SMALL);
    await commitLarge(other, '06');
  });
  expect(logsOf(disk).get(LOG)).toBe(logs.get(LOG));
  await store.close();
  expect(logsOf(disk)).toEqual(logs);
});

test('files of a closed store are the same bytes with and without preallocation', async () => {
  const disk = newDisk();
  const store = await withPreallocation(disk);
  const commit = async (to: StateStore) => {
    for (const block of ['05', '06', '07', '08', '09']) await commitLarge(to, block);
  };
  await commit(store);
  await store.close();
  expect(logsOf(disk)).toEqual(await withoutPreallocation(commit));
});

test('the rival of a reverted batch uses its zeros', async () => {
  const disk = newDisk();
  const store = await withPreallocation(disk);
  const length = lengthOf(disk);
  store.prepare('04', 'rival', largeBatch('rival'));
  await store.append('rival');
  await store.revert('rival');
  await setImmediate();
  expect(lengthOf(disk)).toBe(length);
  await commitLarge(store, '05');
  await store.close();
  expect(logsOf(disk)).toEqual(await withoutPreallocation((other) => commitLarge(other, '05')));
});

test('a small batch is not preallocated', async () => {
  const [disk, plain] = [newDisk(), newDisk()];
  await withPreallocation(disk, { ...TINY_PREALLOCATION, fromBytes: 10_000 });
  await withPreallocation(plain, NO_ROOM);
  expect(lengthOf(disk)).toBe(lengthOf(plain));
});

test('zeros left by a crash are truncated without a warning', async () => {
  const disk = newDisk();
  await withPreallocation(disk);
  disk.crash('lose-none');
  const log = vi.fn<typeof silentTelemetry.log>();
  const { store, recovered } = await openStateStore(
    { disk: disk.mount(), telemetry: { ...silentTelemetry, log } },
    { directory: FOLDER, genesisHash: new Uint8Array(32).fill(7), genesisBlock: GENESIS, parameters },
  );
  expect(recovered).toMatchObject({
    block: '04',
    cut: [{ file: LOG, bytes: TINY_PREALLOCATION.bytesMax, reason: 'preallocated' }],
  });
  expect(log).not.toHaveBeenCalled();
  expect((await store.verify()).faults).toEqual([]);
});

/** Only the second such call fails. */
async function failing(operation: DiskCall['operation'], code: 'io' | 'no-space') {
  const disk = newDisk();
  let failed = 0;
  disk.failWhen((call) => (call.path === LOG && call.operation === operation && failed++ === 1 ? code : undefined));
  return { disk, store: await withPreallocation(disk), failures: () => failed };
}

test('a disk too full for zeros still accepts the batch', async () => {
  const { disk, store } = await failing('write', 'no-space');
  const plain = newDisk();
  await withPreallocation(plain, NO_ROOM);
  expect(lengthOf(disk)).toBe(lengthOf(plain));
  await commitLarge(store, '05');
  expect(store.tip.block).toBe('05');
});

test.each(['write', 'sync'] as const)('a failed %s of zeros fails the store at its next append', async (operation) => {
  const { store } = await failing(operation, 'io');
  expect(store.tip.block).toBe('04');
  await expect(commitLarge(store, '05')).rejects.toMatchObject({ code: 'io' });
  await expect(store.commit('05')).rejects.toMatchObject({ code: 'broken' });
});
