import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClock, createDisk } from '@slipstream/platform';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SyncReport, timedDisk } from '../src/storage/timed-disk.ts';
import { createStorageMeter } from '../src/telemetry/storage-meter.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipstream-meter-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('sizes of the stores, snapshots newest first, free space, and the slowest syncs', async () => {
  await mkdir(join(folder, 'wal'));
  await writeFile(join(folder, 'wal', 'a.log'), new Uint8Array(700));
  await writeFile(join(folder, 'wal', 'b.log'), new Uint8Array(300));
  for (const batch of ['0000000000000512', '0000000000001024']) {
    await mkdir(join(folder, 'snapshots', batch), { recursive: true });
    await writeFile(join(folder, 'snapshots', batch, 'index'), '');
  }
  await mkdir(join(folder, 'snapshots', '0000000000001536')); // no index: unfinished
  const gauges = new Map<string, number>();
  const meter = createStorageMeter(folder, createClock(), {
    gauge: (name, value, labels) => void gauges.set(`${name} ${labels?.store ?? ''}`, value),
  });
  for (let ms = 1; ms <= 100; ms++) meter.listen('wal.synced', { ms, bytes: 1 });
  await vi.waitFor(() => expect(meter.read().logBytes).toBe(1_000));
  const read = meter.read();
  meter.stop();
  expect(read).toMatchObject({ logFiles: 2, stateBytes: 0, syncMsP50: 50, syncMsP99: 99 });
  expect(read.snapshots?.map(({ batch }) => batch)).toEqual([1024, 512]);
  expect(read.diskFreeBytes).toBeGreaterThan(0);
  expect(read.diskFreeBytes).toBeLessThanOrEqual(read.diskBytes ?? 0);
  expect(gauges.get('node_store_bytes log')).toBe(1_000);
});

test('free space is measured every ten seconds, sizes of the stores once a minute', async () => {
  let nowMs = 0;
  let next: (() => void) | undefined;
  const gauged: string[] = [];
  const clock = {
    wallMs: () => 0,
    monotonicMs: () => nowMs,
    after(delayMs: number, action: () => void) {
      next = () => {
        nowMs += delayMs;
        action();
      };
      return () => {};
    },
  };
  const meter = createStorageMeter(folder, clock, { gauge: (name) => void gauged.push(name) });
  for (let turn = 0; turn < 7; turn++) {
    const due = await vi.waitUntil(() => next);
    next = undefined;
    due();
  }
  await vi.waitUntil(() => next);
  meter.stop();
  expect(nowMs).toBe(70_000);
  expect(gauged.filter((name) => name === 'node_disk_free_bytes')).toHaveLength(8);
  expect(gauged.filter((name) => name === 'node_store_bytes')).toHaveLength(2 * 4);
});

test('a timed disk reports each sync with the bytes written since the last one', async () => {
  const reports: SyncReport[] = [];
  let nowMs = 0;
  const disk = timedDisk(
    createDisk({ root: folder }),
    () => nowMs++,
    (report) => reports.push(report),
  );
  const file = await disk.open('x', { create: true });
  await file.write(0, [new Uint8Array(10), new Uint8Array(5)]);
  await file.sync();
  await file.sync();
  await file.close();
  expect(reports).toEqual([
    { ms: 1, bytes: 15 },
    { ms: 1, bytes: 0 },
  ]);
});
