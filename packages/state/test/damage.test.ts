import { toHex, utf8 } from '@slipstream/primitives';
import { createRandom, type SimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { StateError } from '../src/index.ts';
import { commitBatch, contentsOf, FOLDER, logsOf, newDisk, open, put, remove, TINY } from './builders.ts';

const options = { parameters: TINY, genesisBatch: [put('alice', '100'), put('bob', '7')] };

/** The disk of a store with every kind of record and several logs. */
async function filledDisk(): Promise<SimDisk> {
  const disk = newDisk();
  const { store } = await open(disk, options);
  for (let i = 1; i <= 9; i++) {
    const batch = [put(`key ${i}`, 'x'.repeat(i * 20)), put('alice', `${100 - i}`), remove(`key ${i - 2}`)];
    await commitBatch(store, `b${i}`, batch);
  }
  await store.close();
  return disk;
}

async function copyOf(disk: SimDisk, without = ''): Promise<SimDisk> {
  const copy = newDisk();
  const port = copy.mount();
  await port.makeDirectory(FOLDER);
  for (const path of pathsOf(disk).filter((each) => each !== without)) {
    const file = await port.open(path, { create: true });
    await file.write(0, [disk.contents(path) as Uint8Array]);
    await file.close();
  }
  return copy;
}

function pathsOf(disk: SimDisk): readonly string[] {
  return disk.paths().filter((path) => disk.contents(path) !== undefined);
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const damaged = bytes.slice();
  damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
  return damaged;
}

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('V3: a flipped bit', () => {
  test('anywhere is reported when the store is opened, and never changes a value that is read', async () => {
    const disk = await filledDisk();
    const { store } = await open(await copyOf(disk), options);
    const truth = contentsOf(store);
    for (const path of pathsOf(disk)) {
      const bytes = disk.contents(path) as Uint8Array;
      for (let bit = 0; bit < bytes.length * 8; bit += path.includes('journal') ? 7 : 3) {
        const damaged = await copyOf(disk);
        damaged.replaceContents(path, flipped(bytes, bit));
        await expectNamed(damaged, path, bit >> 3, truth);
      }
    }
  });

  async function expectNamed(disk: SimDisk, path: string, byte: number, truth: ReadonlyMap<string, string>) {
    try {
      const { store, recovered } = await open(disk, options);
      expect(recovered.cut.map(({ file }) => file)).toContain(path);
      expect(contentsOf(store)).toEqual(truth);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      expect(error.code).toBe('corrupt');
      expect(error.data.file).toBe(path);
      expect(error.data.offset).toBeLessThanOrEqual(byte);
    }
  }

  test('leaves all files unchanged, also records that no commit certifies', async () => {
    const disk = await filledDisk();
    const { store } = await open(disk, options);
    const names = [...logsOf(disk).keys()];
    // One fewer than logs: the last log is damaged, and some others continue their files.
    const pending = ['p1', 'p2', 'p3'];
    for (const [i, block] of pending.entries()) {
      store.prepare(pending[i - 1] ?? store.tip.block, block, [put(block, 'x')]);
      await store.append(block);
    }
    const path = names.find((name) => Number(name.slice(-20, -4)) % 4 === 3) as string;
    disk.replaceContents(path, flipped(disk.contents(path) as Uint8Array, 1_000));
    const before = logsOf(disk);
    expect(await thrownBy(open(disk, options))).toMatchObject({ code: 'corrupt', data: { file: path } });
    expect(logsOf(disk)).toEqual(before);
  });

  test('in a record is reported with the offset of its segment', async () => {
    const disk = await filledDisk();
    const path = [...logsOf(disk).keys()].at(-1) as string;
    const bytes = disk.contents(path) as Uint8Array;
    const key = toHex(bytes).indexOf(toHex(utf8('key 9'))) / 2;
    const segment = toHex(bytes).lastIndexOf(toHex(utf8('SEG1')), key * 2) / 2;
    disk.replaceContents(path, flipped(bytes, key * 8));
    const error = (await thrownBy(open(disk, options))) as StateError;
    expect(error.data).toMatchObject({ file: path, offset: segment });
  });

  test('in the files of an open store is found by verify', async () => {
    const disk = await filledDisk();
    const { store } = await open(disk, options);
    expect((await store.verify()).faults).toEqual([]);
    const random = createRandom('verify');
    for (const path of pathsOf(disk)) {
      const bytes = disk.contents(path) as Uint8Array;
      disk.replaceContents(path, flipped(bytes, random.below(bytes.length * 8)));
      expect((await store.verify()).faults.map(({ file }) => file)).toEqual([path]);
      disk.replaceContents(path, bytes);
    }
  });
});

describe('a folder that differs from the written one', () => {
  test.each(['log', 'journal'])('is reported by the name of a missing %s file', async (kind) => {
    const disk = await filledDisk();
    const path = pathsOf(disk).find((each) => each.includes(kind)) as string;
    const rest = await copyOf(disk, path);
    const error = (await thrownBy(open(rest, options))) as StateError;
    expect(['missing', 'corrupt']).toContain(error.code);
  });

  test('is reported by the name of a log cut short at a segment', async () => {
    const disk = await filledDisk();
    const { store } = await open(disk, options);
    const earlier = new Map([...logsOf(disk).keys()].map((each) => [each, disk.contents(each) as Uint8Array]));
    for (let i = 0; i <= TINY.history; i++) await commitBatch(store, `c${i}`, [put('z', `${i}`)]);
    const path = [...logsOf(disk).keys()].find((each) => earlier.has(each)) as string;
    const before = earlier.get(path) as Uint8Array;
    await store.close();
    disk.replaceContents(path, before);
    const error = (await thrownBy(open(disk, options))) as StateError;
    expect(error.code).toBe('corrupt');
    expect(error.data).toMatchObject({ file: path, offset: before.length });
  });

  test('is reported by the name of a log from another history of the same chain', async () => {
    const ours = await filledDisk();
    const theirs = newDisk();
    const { store } = await open(theirs, options);
    for (let i = 1; i <= 9; i++) await commitBatch(store, `b${i}`, [put(`other ${i}`, 'y')]);
    await store.close();
    const path = [...logsOf(ours).keys()].find((each) => theirs.contents(each) !== undefined) as string;
    ours.replaceContents(path, theirs.contents(path) as Uint8Array);
    const error = (await thrownBy(open(ours, options))) as StateError;
    expect(error.code).toBe('corrupt');
  });

  test('is reported by the name of a log whose valid last commit is not that of the journal', async () => {
    const withLast = async (value: string) => {
      const disk = newDisk();
      const { store } = await open(disk, options);
      for (const i of [1, 2, 3]) await commitBatch(store, `b${i}`, [put('alice', i < 3 ? '50' : value)]);
      await store.close();
      return disk;
    };
    const [disk, other] = (await Promise.all(['60', '61'].map(withLast))) as [SimDisk, SimDisk];
    const [path = ''] = [...logsOf(disk)].filter(([log, text]) => logsOf(other).get(log) !== text).map(([log]) => log);
    const swapped = await copyOf(disk);
    swapped.replaceContents(path, other.contents(path) as Uint8Array);
    const error = await thrownBy(open(swapped, options));
    expect(error).toMatchObject({ code: 'corrupt', message: expect.stringContaining(path) });
  });

  test('of another chain is refused as foreign', async () => {
    const disk = await filledDisk();
    const error = (await thrownBy(open(disk, { ...options, genesisHash: new Uint8Array(32) }))) as StateError;
    expect(error.code).toBe('foreign');
    expect(String(error.data.file)).toContain(FOLDER);
  });
});
