import { DiskError } from '@slipstream/ports';
import { createRandom, type DiskCall } from '@slipstream/simulator';
import { expect, test } from 'vitest';
import type { StateError } from '../src/index.ts';
import { newDisk, open, TINY } from './builders.ts';
import { createRun } from './random-run.ts';

const parameters = { ...TINY, deadBytesMin: 0 };

/** Returns false when the run ended before this call. */
async function failOnce(call: number, code: 'io' | 'no-space'): Promise<boolean> {
  const disk = newDisk(`${call} ${code}`);
  const run = createRun(createRandom('failing calls'), { keys: 12, writesMax: 6 });
  let failed: DiskCall | undefined;
  disk.failWhen((each) => {
    if (each.index !== call) return undefined;
    failed = each;
    return code;
  });
  try {
    const { store } = await open(disk, { parameters });
    try {
      for (let i = 0; i < 60; i++) await run.step(store);
    } catch (error) {
      expect(error).toBeInstanceOf(DiskError);
      const next = await store.commit(store.pending()[0] ?? '').catch((reason) => reason);
      expect((next as StateError).code).toBe('broken');
      await store.close();
    }
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
  }
  disk.failWhen(undefined);
  const { store } = await open(disk, { parameters });
  run.reopened(store);
  return failed !== undefined;
}

test.each(['io', 'no-space'] as const)(
  'after a failed call (%s) the store refuses further use, and opens again intact',
  async (code) => {
    let call = 1;
    while (await failOnce(call, code)) call += 1;
    expect(call).toBeGreaterThan(100);
  },
);

test.each([0, 1, 2])('sync %i of a batch of several mebibytes is not lost', async (failing) => {
  const disk = newDisk();
  const { store } = await open(disk, { parameters });
  const large = Array.from({ length: 60 }, (_, i) => ({
    key: Uint8Array.of(i),
    value: new Uint8Array(65_536).fill(i),
  }));
  store.prepare(store.tip.block, 'large', large);
  let syncs = 0;
  disk.failWhen(({ operation, path }) =>
    operation === 'sync' && path.endsWith('.log') && syncs++ === failing ? 'io' : undefined,
  );
  await expect(store.append('large')).rejects.toMatchObject({ code: 'io' });
  expect(syncs).toBe(3);
  await expect(store.commit('large')).rejects.toMatchObject({ code: 'broken' });
});
