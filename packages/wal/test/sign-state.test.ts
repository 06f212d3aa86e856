import { fromUtf8, utf8 } from '@slipstream/primitives';
import { CRASH_MODES, createRandom, createSimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { openSignState, RESERVED_AHEAD, type SignState } from '../src/index.ts';
import { genesisHash, newDisk } from './builders.ts';

const path = 'sign-state.json';
const log = { logId: 'aaaaaaaaaaaaaaaa', lastSequence: 0 };

function open(disk: ReturnType<typeof newDisk>, genesis = genesisHash): Promise<SignState> {
  return openSignState({ disk: disk.mount() }, { path, genesisHash: genesis });
}

describe('reservation', () => {
  test('costs about one write for 64 views, and no view after the first waits for it', async () => {
    const disk = newDisk();
    const state = await open(disk);
    await state.mayTrust(log);
    const before = disk.callsMade;
    for (let view = 1; view <= 640; view++) {
      await state.reserve({ view, logSequence: view });
      expect(state.mark).toBeGreaterThanOrEqual(view);
    }
    const callsPerWrite = 7;
    expect((disk.callsMade - before) / callsPerWrite).toBeLessThanOrEqual(640 / 32 + 1);
  });

  test('is durable when reserve returns, whatever a power cut does', async () => {
    for (const [i, mode] of CRASH_MODES.entries()) {
      const disk = newDisk(i);
      const state = await open(disk);
      await state.mayTrust(log);
      for (const view of [1, 50, 51, 300]) await state.reserve({ view, chunkSequence: view + 1, logSequence: view });
      disk.crash(mode);
      const again = await open(disk);
      expect(again.mark).toBeGreaterThanOrEqual(300);
      expect(again.chunkMark).toBeGreaterThanOrEqual(301);
      expect(again.logSequence).toBeGreaterThan(0);
    }
  });

  test('of a chunk sequence alone is durable before use: a sequence used twice is equivocation', async () => {
    for (const [i, mode] of CRASH_MODES.entries()) {
      const disk = newDisk(i);
      const state = await open(disk);
      await state.mayTrust(log);
      await state.reserve({ view: 1_000, logSequence: 1 });
      await state.reserve({ chunkSequence: 300, logSequence: 1 });
      disk.crash(mode);
      expect((await open(disk)).chunkMark).toBeGreaterThanOrEqual(300);
    }
  });

  test('survives a crash at each of its calls: the old mark or the new is read, never none', async () => {
    for (let site = 1; site <= 25; site++) {
      for (const mode of CRASH_MODES) {
        const disk = newDisk(`${site}/${mode}`);
        let reserved = 0;
        const state = await open(disk);
        await state.mayTrust(log);
        const start = disk.callsMade;
        disk.failWhen(({ index }) => (index >= start + site ? 'io' : undefined));
        try {
          for (const view of [1, 100, 200]) {
            await state.reserve({ view, logSequence: view });
            reserved = view;
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'write-failed' });
        }
        disk.failWhen(undefined);
        disk.crash(mode);
        expect((await open(disk)).mark).toBeGreaterThanOrEqual(reserved);
      }
    }
  });

  test('survives one failing call of any kind: reserved views are durable, others are refused', async () => {
    for (const operation of ['open', 'write', 'sync', 'rename', 'sync-directory'] as const) {
      for (const code of ['io', 'no-space'] as const) {
        for (const nth of [1, 2, 3]) {
          const disk = newDisk(`${operation}/${code}/${nth}`);
          const state = await open(disk);
          await state.mayTrust(log);
          let seen = 0;
          disk.failWhen((call) => (call.operation === operation && ++seen === nth ? code : undefined));
          let reserved = 0;
          for (const view of [1, 100, 200, 300]) {
            const asked = state.reserve({ view, logSequence: view });
            const done = await asked.then(
              () => true,
              (error) => {
                expect(error).toMatchObject({ code: 'write-failed' });
                return false;
              },
            );
            if (done) reserved = view;
          }
          expect(seen).toBeGreaterThanOrEqual(nth);
          disk.failWhen(undefined);
          disk.crash('lose-all');
          expect((await open(disk)).mark).toBeGreaterThanOrEqual(reserved);
        }
      }
    }
  });

  test('a failed write in the background fails the next reservation', async () => {
    const disk = newDisk();
    const state = await open(disk);
    await state.mayTrust(log);
    await state.reserve({ view: 1, logSequence: 0 });
    disk.failWhen(() => 'no-space');
    await state.reserve({ view: RESERVED_AHEAD - 5, logSequence: 0 });
    for (let i = 0; i < 20; i++) await undefined;
    await expect(state.reserve({ view: RESERVED_AHEAD - 4, logSequence: 0 })).rejects.toMatchObject({
      code: 'write-failed',
    });
  });

  test('shares writes with concurrent reservations, and each waits for its own', async () => {
    const held: (() => void)[] = [];
    const disk = createSimDisk({ random: createRandom(1), schedule: (_ms, action) => held.push(action) });
    const opening = openSignState({ disk: disk.mount() }, { path, genesisHash });
    const state = await opening;
    const trusting = state.mayTrust(log);
    const settled: number[] = [];
    await release(held);
    await trusting;
    const views = [10, 90, 500];
    const all = views.map((view) =>
      state.reserve({ view, logSequence: 1 }).then(() => {
        expect(state.mark).toBeGreaterThanOrEqual(view);
        settled.push(view);
      }),
    );
    await release(held);
    await Promise.all(all);
    expect(settled.sort((a, b) => a - b)).toEqual(views);
  });

  async function release(held: (() => void)[]): Promise<void> {
    for (let i = 0; i < 200; i++) {
      held.shift()?.();
      await undefined;
    }
  }

  test('is refused when the file cannot be read back, and leaves the file unchanged', async () => {
    const disk = newDisk();
    const state = await open(disk);
    await state.mayTrust(log);
    await state.reserve({ chunkSequence: 7, logSequence: 1 });
    await expect(state.reserve({ chunkSequence: 2 ** 53, logSequence: 1 })).rejects.toThrow('can be read back');
    expect((await open(disk)).chunkMark).toBe(7 + RESERVED_AHEAD);
  });
});

describe('trust in the log', () => {
  async function reservedTo(view: number) {
    const disk = newDisk();
    const state = await open(disk);
    await state.mayTrust(log);
    await state.reserve({ view, chunkSequence: view, logSequence: 40 });
    return disk;
  }

  test('the log of the last reservation is trusted when it reaches the reserved sequence', async () => {
    const disk = await reservedTo(100);
    const refusal = await (await open(disk)).mayTrust({ ...log, lastSequence: 40 });
    expect(refusal).toEqual({ viewsUpTo: 0, chunkSequencesUpTo: 0, reason: undefined, nullifiesUpTo: 0 });
  });

  test.each([
    ['ends below it', { ...log, lastSequence: 39 }],
    ['is missing, so a new one was made', { logId: 'bbbbbbbbbbbbbbbb', lastSequence: 0 }],
    ['is another one, however long', { logId: 'bbbbbbbbbbbbbbbb', lastSequence: 4_000 }],
  ])('every view up to the mark is refused with a log that %s', async (_what, found) => {
    const disk = await reservedTo(100);
    const mark = 100 + RESERVED_AHEAD;
    const refusal = { viewsUpTo: mark, chunkSequencesUpTo: mark, reason: 'wal-lost', nullifiesUpTo: 0 };
    expect((await open(disk)).judge(found)).toEqual(refusal);
    expect(await (await open(disk)).mayTrust(found)).toEqual(refusal);
  });

  test('a refusal lasts when the new log grows beyond the old one', async () => {
    const disk = await reservedTo(100);
    const other = { logId: 'bbbbbbbbbbbbbbbb', lastSequence: 0 };
    await (await open(disk)).mayTrust(other);
    disk.crash('lose-all');
    const again = await open(disk);
    expect((await again.mayTrust({ ...other, lastSequence: 9_000 })).viewsUpTo).toBe(100 + RESERVED_AHEAD);
    await again.reserve({ view: 500, logSequence: 9_000 });
    const third = await (await open(disk)).mayTrust({ ...other, lastSequence: 9_001 });
    expect(third.viewsUpTo).toBe(100 + RESERVED_AHEAD);
  });

  test('judging a log changes nothing, and a folder without a log is judged as one with a lost log', async () => {
    const disk = await reservedTo(100);
    const before = disk.contents(path);
    expect((await open(disk)).judge(undefined)).toMatchObject({ viewsUpTo: 100 + RESERVED_AHEAD, reason: 'wal-lost' });
    expect(disk.contents(path)).toEqual(before);
    expect((await (await open(disk)).mayTrust({ ...log, lastSequence: 40 })).viewsUpTo).toBe(0);
    expect((await open(newDisk())).judge(undefined)).toMatchObject({
      viewsUpTo: 0,
      reason: undefined,
      nullifiesUpTo: 0,
    });
  });

  test('no view is reserved before the log was judged', async () => {
    const state = await open(newDisk());
    await expect(state.reserve({ view: 1, logSequence: 0 })).rejects.toMatchObject({ code: 'invariant-broken' });
  });
});

describe('the file', () => {
  async function written() {
    const disk = newDisk();
    const state = await open(disk);
    await state.mayTrust(log);
    await state.reserve({ view: 7, logSequence: 3 });
    return { disk, state };
  }

  test('with any bit changed is damaged or has the same content', async () => {
    const { disk } = await written();
    const bytes = disk.contents(path) as Uint8Array;
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      disk.replaceContents(path, flipped);
      const outcome = await open(disk).then(
        ({ mark }) => mark,
        (error) => error.code,
      );
      // A space that becomes a line break does not change the parsed text.
      expect([7 + RESERVED_AHEAD, 'sign-state-damaged']).toContain(outcome);
    }
  });

  test('cut at any byte is damaged', async () => {
    const { disk } = await written();
    const bytes = disk.contents(path) as Uint8Array;
    for (let length = 0; length < bytes.length - 1; length++) {
      disk.replaceContents(path, bytes.subarray(0, length));
      await expect(open(disk)).rejects.toMatchObject({ code: 'sign-state-damaged' });
    }
  });

  test('of another genesis is refused', async () => {
    const { disk } = await written();
    await expect(open(disk, new Uint8Array(32))).rejects.toMatchObject({ code: 'sign-state-foreign' });
  });

  test('that is far too large is damaged', async () => {
    const { disk } = await written();
    disk.replaceContents(path, new Uint8Array(100_000));
    await expect(open(disk)).rejects.toMatchObject({ code: 'sign-state-damaged' });
  });
});

describe('history', () => {
  test('moves to another machine, which refuses every view that was signed on the first', async () => {
    const here = await open(newDisk());
    await here.mayTrust(log);
    await here.reserve({ view: 1_000, chunkSequence: 50, logSequence: 9 });
    const text = here.exportHistory();
    const disk = newDisk('there');
    await (await open(disk)).importHistory(text);
    disk.crash('lose-all');
    const there = await open(disk);
    expect(await there.mayTrust({ logId: 'cccccccccccccccc', lastSequence: 0 })).toEqual({
      viewsUpTo: here.mark,
      chunkSequencesUpTo: here.chunkMark,
      reason: 'history-imported',
      nullifiesUpTo: 0,
    });
  });

  test('handed over permits no signing on the first machine, crash or not, until a history is imported', async () => {
    const disk = newDisk();
    const here = await open(disk);
    await here.mayTrust(log);
    await here.reserve({ view: 100, chunkSequence: 70, logSequence: 9 });
    const text = await here.handOver();
    expect(text).toBe(here.exportHistory());
    disk.crash('lose-all');
    const again = await open(disk);
    await expect(again.mayTrust({ ...log, lastSequence: 9 })).rejects.toMatchObject({ code: 'handed-over' });
    await again.importHistory(text);
    const back = await open(disk);
    // This folder's own log is refused too, because it lacks what the other machine may have signed.
    expect(await back.mayTrust({ ...log, lastSequence: 9 })).toEqual({
      viewsUpTo: 100 + RESERVED_AHEAD,
      chunkSequencesUpTo: 70 + RESERVED_AHEAD,
      reason: 'history-imported',
      nullifiesUpTo: 0,
    });
  });

  test('recovered by the operator refuses votes up to the mark and permits nullifications, also after a crash', async () => {
    for (const mode of CRASH_MODES) {
      const disk = newDisk(mode);
      const lost = await open(disk);
      await lost.mayTrust(log);
      await lost.reserve({ view: 10, logSequence: 1 });
      await (await open(disk)).recover({ mark: 90, chunkMark: 1_000, nullifies: true });
      disk.crash(mode);
      const refusal = { viewsUpTo: 90, chunkSequencesUpTo: 1_000, reason: 'wal-lost', nullifiesUpTo: 90 };
      const other = { logId: 'bbbbbbbbbbbbbbbb', lastSequence: 0 };
      expect(await (await open(disk)).mayTrust(other)).toEqual(refusal);
      expect(await (await open(disk)).mayTrust({ ...other, lastSequence: 7 })).toEqual(refusal);
    }
  });

  test('recovered never goes below the reserved mark, and a further loss needs another recovery', async () => {
    const disk = newDisk();
    const lost = await open(disk);
    await lost.mayTrust(log);
    await lost.reserve({ view: 100, logSequence: 1 });
    const mark = 100 + RESERVED_AHEAD;
    await (await open(disk)).recover({ mark: 70, chunkMark: 1, nullifies: true });
    const again = await open(disk);
    const other = { logId: 'bbbbbbbbbbbbbbbb', lastSequence: 0 };
    expect(await again.mayTrust(other)).toMatchObject({ viewsUpTo: mark, nullifiesUpTo: mark });
    await again.reserve({ view: mark + 1, logSequence: 1 });
    const lostAgain = await open(disk);
    expect(await lostAgain.mayTrust({ ...other, logId: 'cccccccccccccccc' })).toMatchObject({
      viewsUpTo: mark + 1 + RESERVED_AHEAD,
      nullifiesUpTo: mark,
    });
    await lostAgain.recover({ mark: 1, chunkMark: 1, nullifies: false });
    expect(lostAgain.judge(undefined)).toMatchObject({ nullifiesUpTo: mark });
  });

  test('imported twice, or older than the present one, lowers no mark', async () => {
    const old = await open(newDisk());
    await old.mayTrust(log);
    await old.reserve({ view: 10, logSequence: 1 });
    const state = await open(newDisk());
    await state.mayTrust(log);
    await state.reserve({ view: 900, logSequence: 1 });
    await state.importHistory(old.exportHistory());
    await state.importHistory(old.exportHistory());
    expect(state.mark).toBe(900 + RESERVED_AHEAD);
    expect((await state.mayTrust({ ...log, lastSequence: 5 })).viewsUpTo).toBe(10 + RESERVED_AHEAD);
  });

  test('that is changed, of another chain, or malformed is refused', async () => {
    const state = await open(newDisk());
    await state.mayTrust(log);
    const text = state.exportHistory();
    for (const wrong of [
      '',
      '{}',
      'null',
      '[1]',
      text.replace('"mark": 0', '"mark": 1'),
      fromUtf8(utf8('{"mark":1}')),
    ]) {
      await expect(state.importHistory(wrong)).rejects.toMatchObject({ code: 'history-malformed' });
    }
    const foreign = await open(newDisk('x'), new Uint8Array(32));
    await expect(state.importHistory(foreign.exportHistory())).rejects.toMatchObject({ code: 'history-foreign' });
  });
});
