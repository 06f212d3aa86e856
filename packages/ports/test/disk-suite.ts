/** Compliance suite for every Disk. */
import { describe, expect, test } from 'vitest';
import type { Disk } from '../src/index.ts';

export function describeDisk(name: string, createDisk: () => Promise<Disk>): void {
  describe(`${name}: files`, () => {
    test('exist after they were created, and not before', async () => {
      const disk = await createDisk();
      await expect(disk.open('a')).rejects.toMatchObject({ code: 'not-found' });
      expect(await disk.size('a')).toBeUndefined();
      await (await disk.open('a', { create: true })).close();
      expect(await disk.size('a')).toBe(0);
      await expect(disk.open('none/a', { create: true })).rejects.toMatchObject({ code: 'not-found' });
    });

    test('return the written bytes, part after part, at any position', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      await file.write(0, [new Uint8Array([1, 2]), new Uint8Array(0), new Uint8Array([3])]);
      await file.write(2, [new Uint8Array([9, 9])]);
      expect(await file.read(0, 100)).toEqual(new Uint8Array([1, 2, 9, 9]));
      expect(await file.read(1, 2)).toEqual(new Uint8Array([2, 9]));
      expect(await file.read(4, 5)).toEqual(new Uint8Array(0));
      expect(await file.read(40, 5)).toEqual(new Uint8Array(0));
      expect(await file.size()).toBe(4);
      await file.sync();
      await file.close();
    });

    test('accept synced and unsynced writes in turn', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      await file.writeAndSync(0, [new Uint8Array([1, 2]), new Uint8Array([3])]);
      await file.writeAndSync(3, [new Uint8Array([4])]);
      await file.write(4, [new Uint8Array([5])]);
      await file.writeAndSync(5, [new Uint8Array([6])]);
      await file.sync();
      await file.truncate(5);
      await file.writeAndSync(5, [new Uint8Array([7])]);
      await file.writeAndSync(6, [new Uint8Array([8])]);
      expect(await file.read(0, 100)).toEqual(new Uint8Array([1, 2, 3, 4, 5, 7, 8]));
      await file.close();
      await expect(file.writeAndSync(0, [new Uint8Array(1)])).rejects.toMatchObject({ code: 'closed' });
    });

    test('accept many parts and large ones in one write', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      const parts = Array.from({ length: 2_500 }, (_, i) => new Uint8Array(1 + (i % 300)).fill(i));
      await file.write(3, parts);
      let at = 3;
      const bytes = await file.read(0, 10_000_000);
      for (const part of parts) {
        expect(Buffer.compare(bytes.subarray(at, at + part.length), part)).toBe(0);
        at += part.length;
      }
      expect(bytes.length).toBe(at);
      await file.close();
    });

    test('contain zeros where nothing was written, and grow and shrink by truncation', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      await file.write(3, [new Uint8Array([7])]);
      expect(await file.read(0, 10)).toEqual(new Uint8Array([0, 0, 0, 7]));
      await file.truncate(1);
      await file.truncate(4);
      expect(await file.read(0, 10)).toEqual(new Uint8Array(4));
      await file.close();
    });

    test('refuse use after close, and close twice', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      await file.close();
      await file.close();
      await expect(file.write(0, [new Uint8Array(1)])).rejects.toMatchObject({ code: 'closed' });
      await expect(file.read(0, 1)).rejects.toMatchObject({ code: 'closed' });
      await expect(file.sync()).rejects.toMatchObject({ code: 'closed' });
    });

    test('are read whole up to a maximum', async () => {
      const disk = await createDisk();
      const file = await disk.open('a', { create: true });
      await file.write(0, [new Uint8Array([1, 2, 3])]);
      await file.close();
      expect(await disk.readWhole('a', 3)).toEqual(new Uint8Array([1, 2, 3]));
      expect(await disk.readWhole('b', 3)).toBeUndefined();
      await expect(disk.readWhole('a', 2)).rejects.toMatchObject({ code: 'too-large' });
    });

    test('share bytes between two openings', async () => {
      const disk = await createDisk();
      const one = await disk.open('a', { create: true });
      const other = await disk.open('a');
      await one.write(0, [new Uint8Array([5])]);
      expect(await other.read(0, 1)).toEqual(new Uint8Array([5]));
      await one.close();
      await other.close();
    });
  });

  describe(`${name}: names`, () => {
    async function fileWith(disk: Disk, path: string, byte: number): Promise<void> {
      const file = await disk.open(path, { create: true });
      await file.write(0, [new Uint8Array([byte])]);
      await file.close();
    }

    test('are listed sorted, files and folders, and a missing folder is empty', async () => {
      const disk = await createDisk();
      await disk.makeDirectory('d/e/f');
      await disk.makeDirectory('d/e');
      for (const file of ['d/z', 'd/B', 'd/a']) await fileWith(disk, file, 1);
      expect(await disk.list('d')).toEqual(['B', 'a', 'e', 'z']);
      expect(await disk.list('d/e')).toEqual(['f']);
      expect(await disk.list('nowhere')).toEqual([]);
      await disk.syncDirectory('d');
      await disk.syncDirectory('');
      await expect(disk.syncDirectory('nowhere')).rejects.toMatchObject({ code: 'not-found' });
    });

    test('are renamed, and replace an existing file', async () => {
      const disk = await createDisk();
      await fileWith(disk, 'a', 1);
      await fileWith(disk, 'b', 2);
      await disk.rename('a', 'b');
      expect(await disk.list('')).toEqual(['b']);
      expect(await disk.readWhole('b', 9)).toEqual(new Uint8Array([1]));
      await expect(disk.rename('a', 'c')).rejects.toMatchObject({ code: 'not-found' });
    });

    test('are linked: two names, one file', async () => {
      const disk = await createDisk();
      await fileWith(disk, 'a', 1);
      await disk.link('a', 'b');
      await disk.remove('a');
      expect(await disk.readWhole('b', 9)).toEqual(new Uint8Array([1]));
      await fileWith(disk, 'a', 3);
      await expect(disk.link('a', 'b')).rejects.toMatchObject({ code: 'exists' });
      await expect(disk.link('none', 'c')).rejects.toMatchObject({ code: 'not-found' });
    });

    test('are removed; the removal of a missing one succeeds', async () => {
      const disk = await createDisk();
      await fileWith(disk, 'a', 1);
      await disk.remove('a');
      await disk.remove('a');
      expect(await disk.size('a')).toBeUndefined();
    });

    test('of folders are removed when the folder is empty', async () => {
      const disk = await createDisk();
      await disk.makeDirectory('d');
      await fileWith(disk, 'd/a', 1);
      await expect(disk.removeDirectory('d')).rejects.toMatchObject({ code: 'exists' });
      await disk.remove('d/a');
      await disk.removeDirectory('d');
      await disk.removeDirectory('d');
      expect(await disk.list('')).toEqual([]);
    });
  });
}
