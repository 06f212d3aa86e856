import type { DiskErrorCode } from '@slipstream/ports';
import { expect, test } from 'vitest';
import type { WalError } from '../src/index.ts';
import { append, newDisk, open, payloadOf, reopen } from './builders.ts';

const OPTIONS = { segmentBytesMax: 400 };
const FAILURES: readonly DiskErrorCode[] = ['io', 'no-space'];

/** Opens, appends and syncs with rotations, and prunes. Returns the synced sequence, and the error if any. */
async function useLog(disk: ReturnType<typeof newDisk>) {
  let synced = 0;
  try {
    const { wal } = await open(disk, OPTIONS);
    try {
      for (let i = 1; i <= 25; i++) {
        append(wal, 'own-notarize', payloadOf(i));
        await wal.sync();
        synced = i;
      }
      await wal.prune(10);
    } catch (error) {
      expect(() => append(wal, 'own-notarize', payloadOf(0))).toThrow(expect.objectContaining({ code: 'poisoned' }));
      await expect(wal.sync()).rejects.toMatchObject({ code: 'poisoned' });
      await expect(wal.close()).rejects.toMatchObject({ code: 'poisoned' });
      expect(wal.failure?.message).toContain('Nothing is signed any more');
      throw error;
    }
    await wal.close();
  } catch (error) {
    return { synced, error: error as WalError };
  }
  return { synced, error: undefined };
}

test('a failure of any call at any site has a type, disables the log, and loses nothing that was synced', async () => {
  const whole = newDisk();
  await useLog(whole);
  const mutating = new Set(['write', 'truncate', 'sync', 'open', 'remove', 'sync-directory', 'make-directory']);
  for (let site = 1; site <= whole.callsMade; site++) {
    for (const code of FAILURES) {
      const disk = newDisk(`${site}/${code}`);
      let failed = false;
      disk.failWhen((call) => {
        if (call.index !== site || !mutating.has(call.operation)) return undefined;
        failed = true;
        return code;
      });
      const { synced, error } = await useLog(disk);
      expect(error === undefined).toBe(!failed);
      if (error !== undefined) expect(['write-failed', 'poisoned']).toContain(error.code);
      disk.failWhen(undefined);
      disk.crash('subset');
      const { report } = await reopen(disk, OPTIONS);
      expect(report.lastSequence).toBeGreaterThanOrEqual(synced);
    }
  }
});

test('a failed sync rejects all waiting callers, and later calls are refused', async () => {
  const disk = newDisk();
  const { wal } = await open(disk);
  disk.failWhen(({ operation }) => (operation === 'sync' ? 'io' : undefined));
  append(wal, 'own-notarize', payloadOf(1));
  const asked = [wal.sync(), wal.sync(), wal.flush()];
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.slice(0, 2).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(wal.sync()).rejects.toMatchObject({ code: 'poisoned' });
  expect(wal.durableSequence).toBe(0);
});
