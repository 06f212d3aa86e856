/** That damaged LevelDB files are found before LevelDB opens them, and that what a crash leaves is not taken for damage. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { utf8 } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openKeyValue } from '../src/world/key-value.ts';
import { checkLevel } from '../src/world/level/check.ts';
import { uncompress } from '../src/world/level/snappy.ts';

let folder: string;
let location: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'level-'));
  location = join(folder, 'store');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SYNCED = utf8('s')[0];
const isSynced = (key: Uint8Array) => key[0] === SYNCED;
const random = createRandom('level');

/** Keys that begin with s are synced. */
async function write(count: number, valueBytes: number): Promise<void> {
  const store = await openKeyValue({ location });
  for (let i = 0; i < count; i++) {
    const key = utf8(`${i % 3 === 0 ? 'u' : 's'} key ${i}`);
    // Half of it can be compressed.
    const value = new Uint8Array(valueBytes);
    value.set(random.bytes(valueBytes / 2));
    await store.batch([{ type: 'put', key, value }], { sync: isSynced(key) });
    if (i % 5 === 4) await store.batch([{ type: 'delete', key: utf8(`s key ${i - 3}`) }]);
  }
  await store.close();
}

async function fileEnding(ending: string): Promise<string> {
  const name = (await readdir(location)).filter((each) => each.endsWith(ending)).at(-1);
  return join(location, name as string);
}

/** The places of torn tails. */
async function check(at = location): Promise<readonly number[]> {
  const torn: number[] = [];
  await checkLevel(at, { isSynced, onTorn: (_, offset) => torn.push(offset) });
  return torn;
}

test('a missing folder, an empty one, and a new store are sound', async () => {
  expect(await check()).toEqual([]);
  await (await openKeyValue({ location })).close();
  expect(await check()).toEqual([]);
});

test('what kill -9 leaves of a store of many tables is sound, or torn at the end of a log, and opens', async () => {
  for (let life = 0; life < 5; life++) {
    const writer = fork(new URL('./kill/level-writer.ts', import.meta.url), [location, `life ${life}`]);
    await once(writer, 'message');
    await sleep(400);
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    expect((await check()).length).toBeLessThanOrEqual(1);
  }
  await (await openKeyValue({ location })).close();
  expect((await readdir(location)).filter((name) => name.endsWith('.ldb')).length).toBeGreaterThan(0);
  expect(await check()).toEqual([]);
});

describe('a log', () => {
  test('cut at any byte is sound or torn there, and opens', async () => {
    await write(30, 40);
    const file = await fileEnding('.log');
    const bytes = await readFile(file);
    for (let length = 0; length < bytes.length; length += 7) {
      await writeFile(file, bytes.subarray(0, length));
      const torn = await check();
      expect(torn.length).toBeLessThanOrEqual(1);
      expect(torn[0] ?? 0).toBeLessThanOrEqual(length);
    }
  });

  test('with a flipped bit is damaged there when two synced batches stand behind it, else torn', async () => {
    await write(30, 40);
    const file = await fileEnding('.log');
    const bytes = await readFile(file);
    const outcomes: string[] = [];
    for (let at = 0; at < bytes.length; at += 11) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      await writeFile(file, flipped);
      const found = await check().then(
        (torn) => ({ outcome: 'torn', offset: torn[0] }),
        (error) => ({ outcome: error.code, offset: error.data.offset }),
      );
      expect(found.offset).toBeLessThanOrEqual(at);
      outcomes.push(found.outcome);
    }
    expect([...new Set(outcomes)].sort()).toEqual(['damaged', 'torn']);
  });

  test('whose unsynced batches are zeros, with one synced one behind them, is what a power cut may leave', async () => {
    const store = await openKeyValue({ location });
    const put = (name: string) => store.batch([{ type: 'put', key: utf8(name), value: utf8('v'.repeat(100)) }]);
    for (const name of ['s 1', 's 2', 'u 3', 'u 4']) await put(name);
    await store.close();
    const file = await fileEnding('.log');
    const bytes = await readFile(file);
    bytes.fill(0, bytes.indexOf('u 3') - 20, bytes.indexOf('u 4') - 20);
    await writeFile(file, bytes);
    expect(await check()).toHaveLength(1);
  });
});

test('a flipped bit anywhere in a table or in a manifest is named by its file', async () => {
  for (let life = 0; life < 2; life++) await write(40, 200);
  for (const ending of ['.ldb', (await readdir(location)).find((name) => name.startsWith('MANIFEST')) as string]) {
    const file = await fileEnding(ending);
    const bytes = await readFile(file);
    for (let at = 0; at < bytes.length; at += ending === '.ldb' ? 17 : 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      await writeFile(file, flipped);
      // A manifest cut short by a length that leads beyond its end names a log that is gone.
      await expect(check(), `byte ${at}`).rejects.toMatchObject({
        code: 'damaged',
        data: { file: expect.stringMatching(ending === '.ldb' ? /\.ldb$/ : /MANIFEST|CURRENT|\.log$/) },
      });
    }
    await writeFile(file, bytes);
  }
  expect(await check()).toEqual([]);
});

test('a table that is missing or short, and a store without its CURRENT, are named', async () => {
  for (let life = 0; life < 2; life++) await write(20, 50);
  const table = await fileEnding('.ldb');
  const bytes = await readFile(table);
  await writeFile(table, bytes.subarray(0, 100));
  await expect(check()).rejects.toMatchObject({ code: 'damaged', data: { file: table, offset: 100 } });
  await rm(table);
  await expect(check()).rejects.toMatchObject({ code: 'damaged', data: { file: table } });
  await writeFile(table, bytes);
  await rm(join(location, 'CURRENT'));
  await expect(check()).rejects.toMatchObject({ code: 'damaged', data: { file: join(location, 'CURRENT') } });
});

test('above what is looked at when it opens, the oldest tables are left out', async () => {
  for (let life = 0; life < 3; life++) await write(20, 50);
  const tables = (await readdir(location)).filter((name) => name.endsWith('.ldb'));
  const oldest = join(location, tables[0] as string);
  const bytes = await readFile(oldest);
  bytes[10] = (bytes[10] as number) ^ 1;
  await writeFile(oldest, bytes);
  const sizes = await Promise.all(tables.slice(1).map(async (name) => (await readFile(join(location, name))).length));
  const tableBytesMax = sizes.reduce((sum, size) => sum + size, 0);
  await checkLevel(location, { isSynced, onTorn() {}, tableBytesMax });
  await expect(check()).rejects.toMatchObject({ code: 'damaged', data: { file: oldest } });
});

test('what is damaged is not opened, and a store that another one has open is told as that', async () => {
  for (let life = 0; life < 2; life++) await write(20, 50);
  const options = { location, check: { isSynced, onTorn() {} } };
  const table = await fileEnding('.ldb');
  const bytes = await readFile(table);
  bytes[10] = (bytes[10] as number) ^ 1;
  const running = await openKeyValue({ location });
  await writeFile(table, bytes);
  await expect(openKeyValue(options)).rejects.toMatchObject({ code: 'permission' });
  await running.close();
  const before = await readdir(location);
  await expect(openKeyValue(options)).rejects.toMatchObject({ code: 'damaged' });
  expect(await readdir(location)).toEqual(before);
});

test('Snappy: literals, near and far copies; a stream that lies is refused', () => {
  const text = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);
  // 12: "abcd" literal, then eight bytes copied from four back.
  expect(text(uncompress(Uint8Array.of(12, 3 << 2, 97, 98, 99, 100, 1 | (4 << 2), 4), 100))).toBe('abcdabcdabcd');
  expect(text(uncompress(Uint8Array.of(9, 3 << 2, 97, 98, 99, 100, 2 | (4 << 2), 2, 0), 100))).toBe('abcdcdcdc');
  for (const lie of [[200, 1], [5, 3 << 2, 97], [8, 0, 97, 1 | (3 << 2), 9], [3, 0, 97], []]) {
    expect(uncompress(Uint8Array.from(lie), 100)).toBeUndefined();
  }
  expect(uncompress(Uint8Array.of(200, 1, 0), 100)).toBeUndefined();
});
