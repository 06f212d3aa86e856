import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createDisk, openKeyValue } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'slipstream-world-'));

afterAll(() => rmSync(folder, { recursive: true }));

describe('the disk', () => {
  const root = join(folder, 'root');
  mkdirSync(root);
  writeFileSync(join(folder, 'outside'), 'secret');
  const disk = createDisk({ root });

  test.each(['../outside', 'a/../../outside', '/outside', './a', 'a//b', 'a/', '.', '..', 'a\\b', 'a\0b'])(
    'refuses the path %j in every operation',
    async (path) => {
      const refusal = { code: 'permission' };
      await expect(disk.open(path, { create: true })).rejects.toMatchObject(refusal);
      await expect(disk.readWhole(path, 100)).rejects.toMatchObject(refusal);
      await expect(disk.list(path)).rejects.toMatchObject(refusal);
      await expect(disk.rename('a', path)).rejects.toMatchObject(refusal);
      await expect(disk.link(path, 'a')).rejects.toMatchObject(refusal);
      await expect(disk.remove(path)).rejects.toMatchObject(refusal);
      await expect(disk.makeDirectory(path)).rejects.toMatchObject(refusal);
      await expect(disk.syncDirectory(path)).rejects.toMatchObject(refusal);
    },
  );

  test('names the path and the system error in its errors', async () => {
    const error = await disk.open('none/a', { create: true }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'not-found', data: { path: 'none/a', systemCode: 'ENOENT' } });
    expect(String(error)).toContain('open of none/a failed: ENOENT');
  });

  test('reports a full disk as no-space', async () => {
    const full = createDisk({ root: '/dev' });
    const file = await full.open('full');
    await expect(file.write(0, [new Uint8Array(10)])).rejects.toMatchObject({ code: 'no-space' });
    await file.close();
  });
});

describe('the key-value store', () => {
  test('has the stored values when opened again', async () => {
    const location = join(folder, 'store');
    const key = new Uint8Array([0, 255, 1]);
    const first = await openKeyValue({ location });
    await first.batch([{ type: 'put', key, value: new Uint8Array([9]) }], { sync: true });
    await first.close();
    const second = await openKeyValue({ location });
    expect(await second.get(key)).toEqual(new Uint8Array([9]));
    await second.close();
  });

  test('refuses to be opened a second time, with the reason', async () => {
    const location = join(folder, 'locked');
    const first = await openKeyValue({ location });
    await expect(openKeyValue({ location })).rejects.toMatchObject({ code: 'permission' });
    await first.close();
  });
});
