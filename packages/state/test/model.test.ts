import { toHex } from '@slipstream/primitives';
import { CRASH_MODES, type CrashMode, createRandom, type SimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import type { Batch, PackedBatch, StateParameters } from '../src/index.ts';
import { columnsOf, commitBatch, liveUntil, logsOf, NO_ROOM, newDisk, open, randomPauses, TINY } from './builders.ts';
import { createRun, type Run } from './random-run.ts';

/** Gets the committed batches alone, in this form. */
async function plainStore(
  run: Run,
  parameters: Partial<StateParameters>,
  formOf: (batch: Batch) => Batch | PackedBatch = (batch) => batch,
): Promise<SimDisk> {
  const disk = newDisk();
  const { store } = await open(disk, { parameters, preallocation: NO_ROOM });
  for (const { block, batch, checksum } of run.committed) {
    expect(toHex(await commitBatch(store, block, formOf(batch)))).toBe(checksum);
  }
  run.check(store);
  expect((await store.verify()).faults).toEqual([]);
  await store.close();
  return disk;
}

const SHAPES: readonly { name: string; parameters: Partial<StateParameters>; keys: number; writesMax: number }[] = [
  { name: 'few keys, tiny logs', parameters: TINY, keys: 20, writesMax: 6 },
  { name: 'many keys, tiny logs', parameters: TINY, keys: 400, writesMax: 25 },
  { name: 'two logs', parameters: { ...TINY, history: 1 }, keys: 60, writesMax: 10 },
  { name: 'many logs', parameters: { ...TINY, history: 40 }, keys: 60, writesMax: 10 },
  {
    name: 'compaction at every turn',
    parameters: { ...TINY, deadBytesMin: 0, deadPercent: 1 },
    keys: 60,
    writesMax: 10,
  },
  { name: 'the usual parameters', parameters: {}, keys: 200, writesMax: 30 },
];

describe.each(SHAPES)('with $name', ({ parameters, keys, writesMax }) => {
  test.each([1, 2, 3, 4])('random operations and reopenings agree with maps (seed %i)', async (seed) => {
    const random = createRandom(`model ${seed}`);
    const disk = newDisk(seed);
    const run = createRun(random, { keys, writesMax });
    const pause = randomPauses(`pauses ${seed}`);
    let { store } = await open(disk, { parameters }, undefined, pause);
    for (let i = 0; i < 400; i++) {
      await run.step(store);
      if (i % 20 === 0) run.check(store);
      if (!random.chance(0.02)) continue;
      await store.close();
      ({ store } = await open(disk, { parameters }, undefined, pause));
      run.reopened(store);
    }
    await store.close();
    ({ store } = await open(disk, { parameters }));
    run.reopened(store);
    expect(logsOf(disk)).toEqual(logsOf(await plainStore(run, parameters)));
    expect(logsOf(disk)).toEqual(logsOf(await plainStore(run, parameters, columnsOf)));
  });
});

async function crashingRun(seed: number, mode: CrashMode, parameters: StateParameters): Promise<void> {
  const random = createRandom(`crash ${seed} ${mode}`);
  const disk = newDisk(`${seed} ${mode}`);
  const run = createRun(random, { keys: 30, writesMax: 8 });
  for (let life = 0; life < 12; life++) {
    const how = random.chance(0.5) ? 'in' : 'after';
    await liveUntil(disk, disk.callsMade + 1 + random.below(life === 0 ? 30 : 150), how, async (lifetime) => {
      const { store } = await open(disk, { parameters }, lifetime, randomPauses(`${seed} ${life}`, lifetime));
      run.reopened(store);
      while (lifetime.alive) await run.step(store);
    });
    disk.crash(mode);
  }
  await checkAfterCrash(disk, run, parameters);
}

async function checkAfterCrash(disk: SimDisk, run: Run, parameters: StateParameters): Promise<void> {
  const { store } = await open(disk, { parameters });
  run.reopened(store);
  expect((await store.verify()).faults).toEqual([]);
  expect(logsOf(disk)).toEqual(logsOf(await plainStore(run, parameters)));
}

describe.each(CRASH_MODES)('V2: with a power cut in any disk call (%s)', (mode) => {
  test.each(Array.from({ length: 25 }, (_, seed) => seed))(
    'exactly the committed batches are recovered (seed %i)',
    (seed) => crashingRun(seed, mode, seed % 3 === 0 ? { ...TINY, deadBytesMin: 0 } : TINY),
  );
});

/** False when the run ended before the call. */
async function dieInCall(call: number, mode: CrashMode, how: 'in' | 'after'): Promise<boolean> {
  const disk = newDisk(`${call}`);
  const run = createRun(createRandom('every call'), { keys: 12, writesMax: 6 });
  const parameters = { ...TINY, deadBytesMin: 0 };
  const died = await liveUntil(disk, call, how, async (lifetime) => {
    const { store } = await open(disk, { parameters }, lifetime);
    for (let i = 0; i < 70 && lifetime.alive; i++) await run.step(store);
  });
  disk.crash(mode);
  await checkAfterCrash(disk, run, parameters);
  return died;
}

describe.each(CRASH_MODES)('V2: a run that ends in each of its disk calls in turn (%s)', (mode) => {
  test.each(['in', 'after'] as const)('the store recovers a committed state (%s the call)', async (how) => {
    let call = 1;
    while (await dieInCall(call, mode, how)) call += 1;
    expect(call).toBeGreaterThan(100);
  });
});
