/** A killed process leaves unsynced writes. Once a store opened on them, no power cut may remove them. */
import { createRandom, type SimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { liveUntil, logsOf, newDisk, open, TINY } from './builders.ts';
import { createRun } from './random-run.ts';

const parameters = { ...TINY, deadBytesMin: 0 };

/** Kills the run in this call. Undefined when it ended before. */
async function killedInCall(call: number): Promise<SimDisk | undefined> {
  const disk = newDisk(`${call}`);
  const run = createRun(createRandom('killed'), { keys: 12, writesMax: 6 });
  const died = await liveUntil(disk, call, 'after', async (lifetime) => {
    const { store } = await open(disk, { parameters }, lifetime);
    for (let i = 0; i < 40 && lifetime.alive; i++) await run.step(store);
  });
  disk.crash('lose-none');
  return died ? disk : undefined;
}

describe('V2: a store that was opened after a kill in any call opens again at the same batch', () => {
  test.each(['lose-all', 'prefix', 'subset'] as const)('after a power cut (%s)', async (mode) => {
    let calls = 0;
    for (let disk = await killedInCall(1); disk !== undefined; disk = await killedInCall(calls + 1)) {
      calls += 1;
      const before = (await open(disk, { parameters })).recovered;
      const logs = logsOf(disk);
      disk.crash(mode);
      const after = (await open(disk, { parameters })).recovered;
      expect([after.batch, after.block]).toEqual([before.batch, before.block]);
      expect(logsOf(disk)).toEqual(logs);
    }
    expect(calls).toBeGreaterThan(50);
  });
});
