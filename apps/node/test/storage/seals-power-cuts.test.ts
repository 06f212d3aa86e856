/** Files written as LevelDB writes them, on a disk that loses what is not synced. */
import type { Disk } from '@slipstream/ports';
import { utf8 } from '@slipstream/primitives';
import { createRandom, createSimDisk, type SeededRandom } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { checkSeals } from '../../src/storage/seals/check.ts';
import { readSeals, type Seals } from '../../src/storage/seals/seal-file.ts';
import { createSealer, type Sealer } from '../../src/storage/seals/sealer.ts';

const STEPS = 60;
const OPTIONS = { location: 'store', tableBytesMax: 1e9, isChecked: false };

const nameOf = (number: number, ending: string) => `${String(number).padStart(6, '0')}.${ending}`;

/** LevelDB's operations of one life. */
async function liveOnce(disk: Disk, random: SeededRandom, firstNumber: number, sealer: Sealer): Promise<number> {
  let number = firstNumber;
  const manifestName = `MANIFEST-${String(number++).padStart(6, '0')}`;
  const manifest = await disk.open(manifestName, { create: true });
  let manifestBytes = 0;
  let log = await disk.open(nameOf(number++, 'log'), { create: true });
  let logBytes = 0;
  let tables: number[] = [];

  async function record(): Promise<void> {
    await manifest.write(manifestBytes, [random.bytes(20)]);
    manifestBytes += 20;
    await manifest.sync();
  }

  async function append(): Promise<void> {
    const bytes = random.bytes(1 + random.below(300));
    await log.write(logBytes, [bytes]);
    logBytes += bytes.length;
    if (random.chance(0.3)) await log.sync();
  }

  async function makeTable(): Promise<void> {
    const table = number++;
    const file = await disk.open(nameOf(table, 'ldb'), { create: true });
    await file.write(0, [random.bytes(500)]);
    // As after a merge that a crash ended.
    if (random.chance(0.3)) return;
    await file.sync();
    await record();
    tables.push(table);
  }

  async function merge(): Promise<void> {
    const gone = tables;
    tables = [];
    await makeTable();
    await record();
    for (const table of gone) await disk.remove(nameOf(table, 'ldb'));
  }

  async function nextLog(): Promise<void> {
    const old = log.path;
    log = await disk.open(nameOf(number++, 'log'), { create: true });
    logBytes = 0;
    await makeTable();
    await record();
    await disk.remove(old);
  }

  await record();
  const current = await disk.open('CURRENT', { create: true });
  await current.truncate(0);
  await current.write(0, [utf8(`${manifestName}\n`)]);
  await current.sync();
  await disk.syncDirectory('');
  const steps = [append, append, append, append, makeTable, merge, nextLog, () => sealer.round(new Set(tables))];
  for (let i = 0; i < STEPS; i++) await (random.pick(steps) as () => Promise<void>)();
  return number;
}

describe.each(['lose-all', 'prefix', 'subset', 'lose-none'] as const)('after a power cut (%s)', (mode) => {
  test.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'no file disagrees with its seal (seed %i)',
    async (seed) => {
      const random = createRandom(`seals/${seed}`);
      const sim = createSimDisk({ random: createRandom(`disk/${seed}`) });
      let number = 1;
      for (let life = 0; life < 5; life++) {
        const disk = sim.mount();
        const seals = (await readSeals(disk)) as Seals;
        expect(seals).toBeDefined();
        expect(await checkSeals(disk, seals, OPTIONS)).toEqual([]);
        number = await liveOnce(disk, random, number, createSealer(disk, seals.files, new Set()));
        sim.crash(mode);
      }
    },
  );
});
