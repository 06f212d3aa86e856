import { describe, expect, test } from 'vitest';
import { createLifetime, createRandom, createSimDisk, type SimDisk } from '../src/index.ts';

function newDisk(seed: string | number = 1): SimDisk {
  return createSimDisk({ random: createRandom(seed) });
}

/** Durable `a`s, then an unsynced write of `b`s. */
async function halfSynced(disk: SimDisk) {
  const port = disk.mount();
  const file = await port.open('f', { create: true });
  await file.write(0, [new Uint8Array(1_000).fill(1)]);
  await file.sync();
  await port.syncDirectory('');
  await file.write(500, [new Uint8Array(3_000).fill(2)]);
  return file;
}

test('a disk has something to lose from a write, a failed sync or a new name on, until these are synced', async () => {
  const disk = newDisk();
  const port = disk.mount();
  expect(disk.hasUnsynced).toBe(false);
  const file = await port.open('f', { create: true });
  expect(disk.hasUnsynced).toBe(true);
  await port.syncDirectory('');
  expect(disk.hasUnsynced).toBe(false);
  await file.write(0, [new Uint8Array(1)]);
  expect(disk.hasUnsynced).toBe(true);
  await file.sync();
  expect(disk.hasUnsynced).toBe(false);
  await file.write(1, [new Uint8Array(1)]);
  disk.failWhen(() => 'io');
  await expect(file.sync()).rejects.toMatchObject({ code: 'io' });
  disk.failWhen(undefined);
  expect(disk.hasUnsynced).toBe(true);
  await file.sync();
  expect(disk.hasUnsynced).toBe(true);
  disk.crash('lose-all');
  expect(disk.hasUnsynced).toBe(false);
});

describe('a crash', () => {
  test('that loses nothing retains all writes', async () => {
    const disk = newDisk();
    await halfSynced(disk);
    disk.crash('lose-none');
    expect(disk.contents('f')?.length).toBe(3_500);
  });

  test('that loses nothing leaves unsynced writes to a later power cut', async () => {
    const disk = newDisk();
    await halfSynced(disk);
    disk.crash('lose-none');
    disk.crash('lose-all');
    expect(disk.contents('f')).toEqual(new Uint8Array(1_000).fill(1));
  });

  test('retains at least what the disk reports as durable', async () => {
    const disk = newDisk();
    await halfSynced(disk);
    expect([...disk.durableContents()]).toEqual([new Uint8Array(1_000).fill(1)]);
  });

  test('that loses all returns to the last sync', async () => {
    const disk = newDisk();
    await halfSynced(disk);
    disk.crash('lose-all');
    expect(disk.contents('f')).toEqual(new Uint8Array(1_000).fill(1));
  });

  test('that retains a prefix tears a write at any byte', async () => {
    const sizes = new Set<number>();
    for (let seed = 0; seed < 50; seed++) {
      const disk = newDisk(seed);
      await halfSynced(disk);
      disk.crash('prefix');
      const bytes = disk.contents('f') as Uint8Array;
      const torn = bytes.lastIndexOf(2) + 1;
      expect(bytes.subarray(500, torn).every((byte) => byte === 2)).toBe(true);
      sizes.add(bytes.length);
    }
    expect(sizes.size).toBeGreaterThan(15);
  });

  test('that retains a subset leaves whole sectors, old bytes and holes of zeros', async () => {
    const seen = { old: false, hole: false, written: false };
    for (let seed = 0; seed < 50; seed++) {
      const disk = newDisk(seed);
      await halfSynced(disk);
      disk.crash('subset');
      const bytes = disk.contents('f') as Uint8Array;
      for (let at = 512; at + 512 <= bytes.length; at += 512) {
        const sector = bytes.subarray(at, at + 512);
        const end = at < 1_000 ? 488 : 512;
        expect(sector.subarray(0, end).every((byte) => byte === sector[0])).toBe(true);
        if (sector[0] === 0) seen.hole = true;
        if (sector[0] === 1) seen.old = true;
        if (sector[0] === 2) seen.written = true;
      }
    }
    expect(seen).toEqual({ old: true, hole: true, written: true });
  });

  test('loses names whose folder was not synced, and undoes renames and removals', async () => {
    const disk = newDisk();
    const port = disk.mount();
    await port.makeDirectory('d');
    for (const name of ['kept', 'moved', 'gone']) {
      const file = await port.open(`d/${name}`, { create: true });
      await file.write(0, [new Uint8Array([7])]);
      await file.sync();
    }
    await port.syncDirectory('d');
    const lost = await port.open('d/new', { create: true });
    await lost.sync();
    await port.rename('d/moved', 'd/there');
    await port.remove('d/gone');
    expect(await port.list('d')).toEqual(['kept', 'new', 'there']);
    disk.crash('lose-all');
    expect(await disk.mount().list('d')).toEqual(['gone', 'kept', 'moved']);
    expect(disk.contents('d/gone')).toEqual(new Uint8Array([7]));
  });

  test('retains a rename whose folder was synced, with its synced content', async () => {
    const disk = newDisk();
    const port = disk.mount();
    for (const [name, synced] of [
      ['x', true],
      ['y', false],
    ] as const) {
      const file = await port.open(`${name}.tmp`, { create: true });
      await file.write(0, [new Uint8Array([1, 2, 3])]);
      if (synced) await file.sync();
      await port.rename(`${name}.tmp`, name);
    }
    await port.syncDirectory('');
    disk.crash('lose-all');
    expect(disk.contents('x')).toEqual(new Uint8Array([1, 2, 3]));
    expect(disk.contents('y')).toEqual(new Uint8Array(0));
  });
});

describe('a failing call', () => {
  test('rejects with its code; a failed write may have written a part', async () => {
    const disk = newDisk();
    const file = await halfSynced(disk);
    disk.failWhen(({ operation, bytes }) => (operation === 'write' && bytes > 10 ? 'no-space' : undefined));
    await expect(file.write(0, [new Uint8Array(100).fill(3)])).rejects.toMatchObject({ code: 'no-space' });
    disk.failWhen(undefined);
    expect((disk.contents('f') as Uint8Array).filter((byte) => byte === 3).length).toBeLessThanOrEqual(100);
  });

  test('of a sync may lose its writes for good, whatever later syncs return', async () => {
    const disk = newDisk();
    const file = await halfSynced(disk);
    disk.failWhen(({ operation }) => (operation === 'sync' ? 'io' : undefined));
    await expect(file.sync()).rejects.toMatchObject({ code: 'io' });
    disk.failWhen(undefined);
    await file.sync();
    expect(disk.contents('f')?.length).toBe(3_500);
    disk.crash('lose-all');
    expect(disk.contents('f')?.length).toBe(1_000);
  });
});

test('a call takes virtual time; a sync that returned made durable what was written before its call', async () => {
  const waiting: (() => void)[] = [];
  const disk = createSimDisk({ random: createRandom(1), schedule: (_ms, action) => waiting.push(action) });
  const file = await disk.mount().open('f', { create: true });
  await file.write(0, [new Uint8Array([1])]);
  const first = file.sync();
  await file.write(1, [new Uint8Array([2])]);
  const second = file.sync();
  await file.write(2, [new Uint8Array([3])]);
  waiting.shift()?.();
  await first;
  const folder = disk.mount().syncDirectory('');
  waiting.pop()?.();
  await folder;
  disk.crash('lose-all');
  expect(disk.contents('f')).toEqual(new Uint8Array([1]));
  waiting.shift()?.();
  await second;
});

test('a call of a killed process never settles and changes nothing', async () => {
  const disk = newDisk();
  const lifetime = createLifetime();
  const port = disk.mount(lifetime);
  const file = await port.open('f', { create: true });
  lifetime.end();
  let settled = false;
  void file.write(0, [new Uint8Array(5)]).finally(() => {
    settled = true;
  });
  for (let i = 0; i < 10; i++) await undefined;
  expect(settled).toBe(false);
  expect(disk.contents('f')?.length).toBe(0);
});

describe('a change of a disk from outside', () => {
  test('is durable: a file replaced, created or removed', async () => {
    const disk = newDisk();
    await halfSynced(disk);
    disk.replaceContents('f', new Uint8Array([7]));
    disk.replaceContents('folder/g', new Uint8Array([8]));
    disk.crash('lose-all');
    expect(disk.contents('f')).toEqual(new Uint8Array([7]));
    expect(disk.contents('folder/g')).toEqual(new Uint8Array([8]));
    disk.removeContents('f');
    disk.crash('lose-all');
    expect(disk.paths()).toEqual(['folder/g']);
  });
});
