/** L2 and L3: what the writer does with a record of each durability, without a call of the appending code. */
import { describe, expect, test } from 'vitest';
import { durabilityOf, RECORD_KIND_BYTES, type RecordKind } from '../src/index.ts';
import { collect, newDisk, open, openOn, payloadOf } from './builders.ts';

/** Timers that fire when the test passes time. */
function createManualClock() {
  let nowMs = 0;
  let timers: { readonly atMs: number; readonly action: () => void }[] = [];
  return {
    after(delayMs: number, action: () => void) {
      const timer = { atMs: nowMs + delayMs, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    get timers() {
      return timers.length;
    },
    async pass(ms: number) {
      const untilMs = nowMs + ms;
      for (let next = timers[0]; next !== undefined && next.atMs <= untilMs; next = timers[0]) {
        timers.shift();
        nowMs = next.atMs;
        next.action();
        await turn();
      }
      nowMs = untilMs;
    },
  };
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function openWithClock(disk = newDisk()) {
  const clock = createManualClock();
  return { clock, disk, ...(await openOn(disk.mount(), {}, 1, clock)) };
}

test('records that bind this node are synced, chunks are written, the rest is buffered, and an unknown kind throws', () => {
  const kinds = Object.keys(RECORD_KIND_BYTES) as RecordKind[];
  const of = (durability: string) => kinds.filter((kind) => durabilityOf(kind) === durability);
  expect(of('synced')).toEqual(kinds.filter((kind) => kind.startsWith('own-')));
  expect(of('written')).toEqual(['chunk']);
  expect(of('buffered')).toEqual(['certificate', 'proposal', 'epoch']);
  expect(() => durabilityOf('own-oath' as RecordKind)).toThrow('unknown record kind');
});

describe('a synced record', () => {
  test('gives its statement back once it survives a power cut', async () => {
    const { wal, disk } = await openWithClock();
    wal.append('certificate', payloadOf(1));
    const vote = { view: 7 };
    const { sequence, durable } = wal.append('own-notarize', payloadOf(2), vote);
    expect(sequence).toBe(2);
    expect(wal.durableSequence).toBe(0);
    expect(await durable).toBe(vote);
    expect(wal.durableSequence).toBe(2);
    disk.crash('lose-all');
    expect(await collect((await open(disk)).records)).toHaveLength(2);
  });

  test('gives nothing back when its sync fails', async () => {
    const { wal, disk } = await openWithClock();
    disk.failWhen(({ operation }) => (operation === 'sync' ? 'io' : undefined));
    const { durable } = wal.append('own-finalize', payloadOf(1), 'a vote');
    await expect(durable).rejects.toMatchObject({ code: 'write-failed' });
    expect(await wal.failed).toMatchObject({ code: 'write-failed' });
    expect(() => wal.append('own-finalize', payloadOf(2), 'another')).toThrow(
      expect.objectContaining({ code: 'poisoned' }),
    );
  });

  test('that follows a chunk in one turn is written with it, in one call that syncs', async () => {
    const { wal, disk } = await openWithClock();
    const before = disk.callsMade;
    wal.append('chunk', payloadOf(1));
    await wal.append('own-chunk-ack', payloadOf(2), 'an id').durable;
    expect(wal.stats.syncs).toBe(1);
    const alone = newDisk();
    const other = await openWithClock(alone);
    const beforeAlone = alone.callsMade;
    await other.wal.append('own-chunk-ack', payloadOf(2), 'an id').durable;
    expect(disk.callsMade - before).toBe(alone.callsMade - beforeAlone);
  });
});

test('a written record survives the end of the process without a sync', async () => {
  const { wal, disk } = await openWithClock();
  wal.append('chunk', payloadOf(1));
  await turn();
  expect(wal.stats).toMatchObject({ syncs: 0, records: 1 });
  disk.crash('lose-none');
  expect(await collect((await open(disk)).records)).toHaveLength(1);
});

test('a buffered record is not written alone: it ends with its process', async () => {
  const { wal, disk } = await openWithClock();
  wal.append('certificate', payloadOf(1));
  await turn();
  disk.crash('lose-none');
  expect(await collect((await open(disk)).records)).toEqual([]);
});

describe('the periodic sync', () => {
  test.each(['certificate', 'proposal', 'chunk', 'epoch'] as const)('makes a %s durable within 2 s', async (kind) => {
    const { wal, disk, clock } = await openWithClock();
    wal.append(kind, payloadOf(1));
    await turn();
    expect(wal.durableSequence).toBe(0);
    await clock.pass(2_000);
    expect(wal.durableSequence).toBe(1);
    disk.crash('lose-all');
    expect(await collect((await open(disk)).records)).toHaveLength(1);
  });

  test('covers records that came after it was set, within 2 s of each', async () => {
    const { wal, clock } = await openWithClock();
    for (let second = 1; second <= 10; second++) {
      wal.append('certificate', payloadOf(second));
      await clock.pass(1_000);
      expect(wal.lastSequence - wal.durableSequence).toBeLessThanOrEqual(1);
    }
    await clock.pass(2_000);
    expect(wal.durableSequence).toBe(10);
  });

  test('costs a node with votes no sync', async () => {
    const { wal, clock } = await openWithClock();
    for (let view = 1; view <= 30; view++) {
      wal.append('certificate', payloadOf(view));
      await clock.pass(150);
      await wal.append('own-notarize', payloadOf(view), view).durable;
      wal.append('certificate', payloadOf(view));
      await clock.pass(150);
    }
    expect(wal.stats.syncs).toBe(30);
  });

  test('does not run while nothing is unsynced', async () => {
    const { wal, clock } = await openWithClock();
    wal.append('certificate', payloadOf(1));
    await clock.pass(10_000);
    expect(clock.timers).toBe(0);
    expect(wal.stats.syncs).toBe(1);
  });

  test('that fails tells the owner of the log', async () => {
    const { wal, disk, clock } = await openWithClock();
    wal.append('certificate', payloadOf(1));
    disk.failWhen(({ operation }) => (operation === 'sync' ? 'io' : undefined));
    await clock.pass(2_000);
    expect(await wal.failed).toMatchObject({ code: 'write-failed' });
    expect(clock.timers).toBe(0);
  });

  test('ends with the log', async () => {
    const { wal, clock } = await openWithClock();
    wal.append('certificate', payloadOf(1));
    await wal.close();
    expect(clock.timers).toBe(0);
    expect(wal.durableSequence).toBe(1);
  });
});
