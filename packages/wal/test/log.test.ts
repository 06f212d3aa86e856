import { RECORD_OVERHEAD_BYTES } from '@slipstream/records';
import { createRandom, createSimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import { formatInspectEntry, inspectLog, RECORD_KIND_BYTES, type RecordKind } from '../src/index.ts';
import { append, collect, copyOf, directory, newDisk, open, openOn, payloadOf, reopen } from './builders.ts';

describe('append and replay', () => {
  test('a new log is empty and reports that it was created', async () => {
    const { report, records, wal } = await open(newDisk());
    expect(report).toMatchObject({ created: true, lastSequence: 0, segments: 1, tornBytesCut: 0 });
    expect(await collect(records)).toEqual([]);
    expect(wal.lastSequence).toBe(0);
  });

  test('every kind reads back as it was appended, in order, with sequences from 1', async () => {
    const disk = newDisk();
    const { wal, report: made } = await open(disk);
    const kinds = Object.keys(RECORD_KIND_BYTES) as RecordKind[];
    for (const [i, kind] of kinds.entries()) expect(append(wal, kind, payloadOf(i + 1, i))).toBe(i + 1);
    await wal.close();
    const { replayed, report } = await reopen(disk);
    expect(replayed.map(({ kind }) => kind)).toEqual(kinds);
    expect(replayed.map(({ payload }) => payload)).toEqual(kinds.map((_, i) => payloadOf(i + 1, i)));
    expect(report).toMatchObject({ created: false, lastSequence: kinds.length, logId: made.logId });
  });

  test('the caller may reuse a payload as soon as append returns', async () => {
    const disk = newDisk();
    const { wal } = await open(disk);
    const payload = new Uint8Array([1, 2, 3]);
    wal.append('chunk', payload);
    payload.fill(9);
    await wal.close();
    const { replayed } = await reopen(disk);
    expect(replayed[0]?.payload).toEqual(new Uint8Array([1, 2, 3]));
  });

  test('a record above the maximum is refused, and the log stays usable', async () => {
    const { wal } = await open(newDisk(), { recordBytesMax: 100 });
    expect(() => wal.append('chunk', new Uint8Array(101 - RECORD_OVERHEAD_BYTES))).toThrow(
      expect.objectContaining({ code: 'record-too-large' }),
    );
    expect(wal.append('chunk', new Uint8Array(100 - RECORD_OVERHEAD_BYTES))).toBe(1);
  });

  test('a backlog above the maximum is refused', async () => {
    const { wal } = await open(newDisk(), { pendingBytesMax: 1_000 });
    wal.append('chunk', new Uint8Array(900));
    expect(() => wal.append('chunk', new Uint8Array(900))).toThrow(expect.objectContaining({ code: 'backlog-full' }));
    await wal.flush();
    expect(wal.append('chunk', new Uint8Array(900))).toBe(2);
  });

  test('a closed log refuses every call, and close is idempotent', async () => {
    const { wal } = await open(newDisk());
    await wal.close();
    await wal.close();
    expect(() => wal.append('chunk', new Uint8Array(1))).toThrow(expect.objectContaining({ code: 'closed' }));
    await expect(wal.sync()).rejects.toMatchObject({ code: 'closed' });
  });

  test('unsynced records of a killed process are durable once the log is open again', async () => {
    const disk = newDisk();
    const { wal } = await open(disk);
    wal.append('certificate', payloadOf(1));
    await wal.flush();
    disk.crash('lose-none');
    const again = await open(disk);
    expect(again.wal.durableSequence).toBe(1);
    disk.crash('lose-all');
    expect((await reopen(disk)).replayed).toHaveLength(1);
  });

  test('a log of another genesis is refused', async () => {
    const disk = newDisk();
    await (await open(disk)).wal.close();
    await expect(open(disk, { genesisHash: new Uint8Array(32) })).rejects.toMatchObject({ code: 'foreign' });
  });
});

describe('group commit', () => {
  test('all records of one turn share one fdatasync', async () => {
    const { wal } = await open(newDisk());
    const proofs: Promise<number>[] = [];
    for (let i = 1; i <= 50; i++) proofs.push(wal.append('own-notarize', payloadOf(i), i).durable);
    await Promise.all(proofs);
    expect(wal.stats.syncs).toBe(1);
    expect(wal.durableSequence).toBe(50);
  });

  test('a call during a sync joins it when nothing was appended since, otherwise it shares the next', async () => {
    const held: (() => void)[] = [];
    const { wal } = await open(heldDisk(held));
    append(wal, 'own-notarize', payloadOf(1));
    const first = wal.sync();
    await turn();
    const same = wal.sync();
    append(wal, 'own-finalize', payloadOf(2));
    const second = wal.sync();
    append(wal, 'own-certify', payloadOf(3));
    const third = wal.sync();
    held.shift()?.();
    await Promise.all([first, same]);
    expect(wal.durableSequence).toBe(1);
    await turn();
    expect(held).toHaveLength(1);
    held.shift()?.();
    await Promise.all([second, third]);
    expect(wal.durableSequence).toBe(3);
    expect(wal.stats.syncs).toBe(2);
  });

  test('a sync with nothing new costs nothing', async () => {
    const { wal } = await open(newDisk());
    await wal.sync();
    wal.append('certificate', payloadOf(1));
    await wal.sync();
    await wal.sync();
    expect(wal.stats.syncs).toBe(1);
  });

  test('records contain the durable sequence at the time of their append', async () => {
    const disk = newDisk();
    const { wal } = await open(disk);
    wal.append('certificate', payloadOf(1));
    wal.append('certificate', payloadOf(2));
    await wal.sync();
    wal.append('certificate', payloadOf(3));
    await wal.close();
    const claims: number[] = [];
    for await (const entry of inspectLog(disk.mount(), directory)) {
      if (entry.type === 'record') claims.push(entry.durableSequence);
    }
    expect(claims).toEqual([0, 0, 2]);
  });

  async function turn(): Promise<void> {
    for (let i = 0; i < 20; i++) await undefined;
  }

  /** Holds back each fdatasync of segments except the one that creates the log. */
  function heldDisk(held: (() => void)[]) {
    let syncs = 0;
    return createSimDisk({
      random: createRandom(1),
      latencyMs: ({ operation }) => (operation === 'sync' && syncs++ > 0 ? 1 : 0),
      schedule: (_delayMs, action) => held.push(action),
    });
  }
});

describe('segments', () => {
  test('rotate by size and replay as one log', async () => {
    const disk = newDisk();
    const { wal } = await open(disk, { segmentBytesMax: 500 });
    for (let i = 1; i <= 40; i++) {
      append(wal, 'own-notarize', payloadOf(i));
      if (i % 7 === 0) await wal.sync();
    }
    await wal.close();
    expect(disk.paths().length).toBeGreaterThan(3);
    const { replayed, report } = await reopen(disk, { segmentBytesMax: 500 });
    expect(replayed.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(report.segments).toBe(disk.paths().length);
  });

  test('a record larger than a segment gets one of its own', async () => {
    const disk = newDisk();
    const { wal } = await open(disk, { segmentBytesMax: 500 });
    for (const bytes of [10, 900, 10]) wal.append('chunk', payloadOf(bytes, bytes));
    await wal.close();
    expect(disk.paths()).toHaveLength(3);
    expect((await reopen(disk)).replayed).toHaveLength(3);
  });

  test('prune removes whole segments below a sequence and never the current one', async () => {
    const disk = newDisk();
    const { wal } = await open(disk, { segmentBytesMax: 500 });
    for (let i = 1; i <= 40; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.sync();
    const before = disk.paths().length;
    const removed = await wal.prune(20);
    expect(removed).toBeGreaterThan(0);
    expect(disk.paths()).toHaveLength(before - removed);
    await wal.prune(1_000);
    expect(disk.paths()).toHaveLength(1);
    await wal.close();
    const { replayed, report } = await reopen(disk);
    expect(replayed[0]?.sequence).toBe(report.firstSequence);
    expect(replayed.at(-1)?.sequence).toBe(40);
  });

  test('each removal of a prune is durable before the next: a later one alone would leave a gap', async () => {
    const calls: string[] = [];
    const disk = createSimDisk({ random: createRandom(1), observe: ({ operation }) => calls.push(operation) });
    const { wal } = await open(disk, { segmentBytesMax: 500 });
    for (let i = 1; i <= 40; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.sync();
    calls.length = 0;
    const removed = await wal.prune(30);
    expect(removed).toBeGreaterThan(1);
    expect(calls).toEqual(Array.from({ length: removed }, () => ['remove', 'sync-directory']).flat());
  });

  test('two prunes at a time leave no gap: a power cut between them finds a log that can be opened', async () => {
    const disk = newDisk();
    const mounted = disk.mount();
    const slow = Promise.withResolvers<void>();
    let removals = 0;
    const remove = async (path: string) => {
      if (removals++ === 0) await slow.promise;
      return mounted.remove(path);
    };
    const { wal } = await openOn({ ...mounted, remove }, { segmentBytesMax: 500 });
    for (let i = 1; i <= 40; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.sync();
    const segments = disk.paths().length;
    const first = wal.prune(12);
    const second = wal.prune(24);
    await new Promise<void>((resolve) => setImmediate(resolve));
    const { report } = await open(await copyOf(disk));
    expect(report).toMatchObject({ lastSequence: 40, segments });
    slow.resolve();
    await Promise.all([first, second]);
    await wal.close();
    const { replayed } = await reopen(disk);
    expect(replayed[0]?.sequence).toBeLessThanOrEqual(24);
    expect(replayed[0]?.sequence).toBeGreaterThan(12);
    expect(replayed.at(-1)?.sequence).toBe(40);
  });

  test('a missing segment in the middle is corruption', async () => {
    const disk = newDisk();
    const { wal } = await open(disk, { segmentBytesMax: 500 });
    for (let i = 1; i <= 40; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.close();
    await disk.mount().remove(disk.paths()[1] as string);
    await expect(open(disk)).rejects.toMatchObject({ code: 'corrupt' });
  });
});

test('inspection continues when a running node removes segments meanwhile', async () => {
  const disk = newDisk();
  const { wal } = await open(disk, { segmentBytesMax: 64 + 2 * 49 });
  for (let i = 1; i <= 6; i++) append(wal, 'own-notarize', payloadOf(i));
  await wal.close();
  const [, second = ''] = disk.paths();
  const lines: string[] = [];
  for await (const entry of inspectLog(disk.mount(), directory)) {
    if (entry.type === 'segment') await disk.mount().remove(second);
    lines.push(formatInspectEntry(entry));
  }
  expect(lines.filter((line) => line.includes('removed by its node'))).toEqual([
    `${second}: removed by its node meanwhile`,
  ]);
  expect(lines.filter((line) => line.includes('own-notarize'))).toHaveLength(4);
  expect(lines.join()).not.toContain('OUT OF ORDER');
});

test('inspection shows segments, records and damage, and changes nothing', async () => {
  const disk = newDisk();
  const { wal } = await open(disk);
  for (let i = 1; i <= 3; i++) append(wal, 'own-notarize', payloadOf(i));
  await wal.close();
  const path = disk.paths()[0] as string;
  const bytes = disk.contents(path) as Uint8Array;
  bytes[64 + 49 + 30] = (bytes[64 + 49 + 30] as number) ^ 1;
  disk.replaceContents(path, bytes);
  const lines: string[] = [];
  for await (const entry of inspectLog(disk.mount(), directory)) lines.push(formatInspectEntry(entry));
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain('1 (durable 0) own-notarize, 20 bytes');
  expect(lines[2]).toContain('DAMAGE, 49 bytes of records');
  expect(lines[3]).toContain('OUT OF ORDER');
  expect(disk.contents(path)).toEqual(bytes);
});
