/** Damaged LevelDB files are found before LevelDB opens them or while it runs; a crash leaves no apparent damage. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDisk } from '@slipstream/platform';
import { type DiskError, type KeyValue, silentTelemetry } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import { createRandom } from '@slipstream/simulator';
import { ClassicLevel } from 'classic-level';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CHECKING } from '../../src/storage/seals/check.ts';
import { readSeals, SEALS } from '../../src/storage/seals/seal-file.ts';
import { openSealed, type SealedLevelOptions } from '../../src/storage/seals/sealed-level.ts';

let folder: string;
let location: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealed-'));
  location = join(folder, 'store');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const random = createRandom('sealed');

/** Fires when the test says so. */
function clockByHand() {
  let due: (() => void)[] = [];
  return {
    after(_: number, action: () => void) {
      due.push(action);
      return () => {
        due = due.filter((each) => each !== action);
      };
    },
    fire() {
      for (const action of due.splice(0)) action();
    },
  };
}

async function put(store: KeyValue, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await store.batch([{ type: 'put', key: utf8(`key ${random.below(1_000)}`), value: random.bytes(100) }]);
  }
}

/** At least one table for each life but the last, and a log. */
async function lives(count: number, options: Partial<SealedLevelOptions> = {}): Promise<void> {
  for (let life = 0; life < count; life++) {
    const store = await openSealed({ location, ...options });
    await put(store, 30);
    await store.close();
  }
}

const filesOf = async (at = location) =>
  (await readdir(at)).filter((name) => /^(MANIFEST-|CURRENT$)|\.(ldb|log)$/.test(name)).sort();
const tablesOf = async () => (await filesOf()).filter((name) => name.endsWith('.ldb'));

async function change(name: string, how: (bytes: Buffer) => Uint8Array, at = location): Promise<void> {
  await writeFile(join(at, name), how(await readFile(join(at, name))));
}

const flip = (bit: number) => (bytes: Buffer) => {
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return bytes;
};

async function opens(at = location, options: Partial<SealedLevelOptions> = {}): Promise<void> {
  await (await openSealed({ location: at, ...options })).close();
}

const damagedIn = (name: string) => ({ code: 'damaged', message: expect.stringContaining(name) });

test('a missing folder, and one that was closed, are sound', async () => {
  for (let life = 0; life < 3; life++) await opens();
});

test('a store killed with SIGKILL while it seals its files is sound', async () => {
  for (let life = 0; life < 4; life++) {
    const writer = fork(new URL('../kill/level-writer.ts', import.meta.url), [location, `life ${life}`]);
    await once(writer, 'message');
    await sleep(400);
    writer.kill('SIGKILL');
    await once(writer, 'exit');
    const seals = await readSeals(createDisk({ root: location }));
    expect(seals?.files.size).toBeGreaterThan(0);
  }
  await opens();
  expect((await tablesOf()).length).toBeGreaterThan(0);
});

describe('a closed store', () => {
  test('with a flipped bit anywhere, or a truncated file, is reported, and nothing is changed', async () => {
    await lives(3);
    const files = await filesOf();
    expect(files.length).toBeGreaterThan(4);
    for (const name of files) {
      const length = (await readFile(join(location, name))).length;
      const flips = Array.from({ length: 25 }, () => flip(random.below(8 * length)));
      const cuts = [0, length - 1].map((to) => (bytes: Buffer) => bytes.subarray(0, to));
      for (const how of [...flips, ...cuts]) {
        const copy = join(folder, 'copy');
        await cp(location, copy, { recursive: true });
        await change(name, how, copy);
        const before = await readdir(copy);
        await expect(opens(copy), name).rejects.toMatchObject(damagedIn(name));
        expect(await readdir(copy)).toEqual(before);
        await rm(copy, { recursive: true });
      }
    }
    await opens();
  });

  test('with a missing table, log, manifest or CURRENT is reported', async () => {
    await lives(3);
    for (const name of await filesOf()) {
      const aside = join(folder, 'aside');
      await rename(join(location, name), aside);
      const isManifest = name.startsWith('MANIFEST');
      await expect(opens(), name).rejects.toMatchObject(damagedIn(isManifest ? 'CURRENT' : name));
      await rename(aside, join(location, name));
    }
    await opens();
  });

  test('with flipped bits in seals, or truncated seals, is sound, and the seals are replaced', async () => {
    await lives(2);
    const { length } = await readFile(join(location, SEALS));
    for (let bit = 0; bit < 8 * length; bit += 101) {
      const copy = join(folder, 'copy');
      await cp(location, copy, { recursive: true });
      await change(SEALS, bit % 2 === 0 ? flip(bit) : (bytes) => bytes.subarray(0, bit >> 3), copy);
      await opens(copy);
      const [name = ''] = await filesOf(copy);
      await change(name, flip(3), copy);
      await expect(opens(copy)).rejects.toMatchObject({ code: 'damaged' });
      await rm(copy, { recursive: true });
    }
  });
});

test('a killed store has the sealed part of its log checked, and the rest is left to LevelDB', async () => {
  const clock = clockByHand();
  const store = await openSealed({ location, watch: { clock, onDamaged() {} } });
  await put(store, 20);
  clock.fire();
  const disk = createDisk({ root: location });
  const log = (await filesOf()).find((name) => name.endsWith('.log')) as string;
  await expect.poll(async () => (await readSeals(disk))?.files.get(log)?.bytes).toBeGreaterThan(0);
  const sealed = (await readSeals(disk))?.files.get(log)?.bytes as number;
  await put(store, 20);
  const killed = join(folder, 'killed');
  await cp(location, killed, { recursive: true });
  await store.close();
  await change(log, flip(8 * (sealed + 60)), killed);
  const again = join(folder, 'again');
  await cp(killed, again, { recursive: true });
  await opens(killed);
  await change(log, flip(8 * (sealed - 60)), again);
  await expect(opens(again)).rejects.toMatchObject(damagedIn(log));
});

describe('tables above the size checked at the opening', () => {
  const HOLD_ALL = { tableBytesMax: 0 };

  async function damagedFirstTable(): Promise<string> {
    await lives(3);
    const [oldest = ''] = await tablesOf();
    await change(oldest, flip(90));
    return oldest;
  }

  function watched() {
    const found: DiskError[] = [];
    const clock = clockByHand();
    return {
      found,
      clock,
      options: { ...HOLD_ALL, watch: { clock, onDamaged: (error: DiskError) => found.push(error) } },
    };
  }

  async function until(clock: ReturnType<typeof clockByHand>, isSo: () => Promise<boolean>): Promise<void> {
    while (!(await isSo())) {
      clock.fire();
      await sleep(1);
    }
  }

  test('are checked while the store runs; damage is reported, and known at the next opening', async () => {
    const oldest = await damagedFirstTable();
    const { found, clock, options } = watched();
    const store = await openSealed({ location, ...options });
    await until(clock, async () => found.length > 0);
    expect(found).toEqual([expect.objectContaining(damagedIn(oldest))]);
    await store.close();
    await expect(opens(location, HOLD_ALL)).rejects.toMatchObject(damagedIn(oldest));
  });

  test('are found damaged also after LevelDB merged them, in this process or an earlier one', async () => {
    const oldest = await damagedFirstTable();
    await opens(location, HOLD_ALL);
    const level = new ClassicLevel(location);
    await level.compactRange('', '~~');
    await level.close();
    expect(await tablesOf()).not.toContain(oldest);
    const { found, clock, options } = watched();
    const store = await openSealed({ location, ...options });
    await until(clock, async () => found.length > 0);
    expect(found).toEqual([expect.objectContaining(damagedIn(oldest))]);
    await store.close();
  });

  test('are released when they are sound', async () => {
    await lives(3);
    const { found, clock, options } = watched();
    const store = await openSealed({ location, ...options });
    expect((await readdir(join(location, CHECKING))).length).toBeGreaterThan(0);
    await until(clock, async () => (await readdir(join(location, CHECKING))).length === 0);
    await store.close();
    expect(found).toEqual([]);
    await opens();
  });
});

test('a store that this process has checked is not checked again', async () => {
  await lives(2);
  const log = (await filesOf()).find((name) => name.endsWith('.log')) as string;
  await change(log, flip(300));
  await expect(opens()).rejects.toMatchObject(damagedIn(log));
  await opens(location, { isChecked: true });
});

test('a store in use is rejected as such, damaged or not', async () => {
  await lives(3);
  const running = await openSealed({ location });
  await expect(opens()).rejects.toMatchObject({ code: 'permission' });
  for (const name of await tablesOf()) await change(name, flip(80));
  await expect(opens()).rejects.toMatchObject({ code: 'permission' });
  await running.close();
});

test('check rounds repeat, and a folder that is reopened many times keeps one small file of seals', async () => {
  const clock = clockByHand();
  for (let life = 0; life < 20; life++) {
    const store = await openSealed({ location, telemetry: silentTelemetry, watch: { clock, onDamaged() {} } });
    for (let round = 0; round < 5; round++) {
      await put(store, 5);
      clock.fire();
    }
    await store.close();
  }
  expect((await readdir(location)).filter((name) => name.startsWith(SEALS))).toEqual([SEALS]);
  const seals = await readSeals(createDisk({ root: location }));
  expect([...(seals?.files.keys() ?? [])].sort()).toEqual((await filesOf()).filter((name) => name !== 'CURRENT'));
});
