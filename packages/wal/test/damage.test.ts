import { concatBytes } from '@slipstream/primitives';
import {
  encodeRecord,
  encodeSegmentHeader,
  RecordsError,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
} from '@slipstream/records';
import { createRandom, createSimDisk, type SimDisk } from '@slipstream/simulator';
import { describe, expect, test } from 'vitest';
import type { WalError } from '../src/index.ts';
import { append, copyOf, newDisk, open, payloadOf, reopen } from './builders.ts';

/** Records 1 to 4 are synced one by one; 5 and 6 carry durable sequence 4 and are synced by close. */
async function sixRecords(): Promise<{ readonly disk: SimDisk; readonly path: string; readonly bytes: Uint8Array }> {
  const disk = newDisk();
  const { wal } = await open(disk);
  for (let i = 1; i <= 6; i++) {
    append(wal, 'own-notarize', payloadOf(i));
    if (i <= 4) await wal.sync();
  }
  await wal.close();
  const path = disk.paths()[0] as string;
  return { disk, path, bytes: disk.contents(path) as Uint8Array };
}

const RECORD_BYTES = 49;
const startOf = (sequence: number) => SEGMENT_HEADER_BYTES + (sequence - 1) * RECORD_BYTES;

async function replayOf(disk: SimDisk, path: string, bytes: Uint8Array, knownDurableSequence = 0) {
  const damaged = await copyOf(disk);
  damaged.replaceContents(path, bytes);
  return reopen(damaged, { knownDurableSequence }).then(
    ({ replayed, report, wal }) => ({ damaged, count: replayed.length, report, wal, error: undefined }),
    (error: WalError) => ({ damaged, count: -1, report: undefined, wal: undefined, error }),
  );
}

describe('a log cut at any byte', () => {
  test('replays the whole records before the cut, and appends from there', async () => {
    const { disk, path, bytes } = await sixRecords();
    for (let length = SEGMENT_HEADER_BYTES; length <= bytes.length; length++) {
      const whole = Math.floor((length - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
      const { damaged, count, report, wal } = await replayOf(disk, path, bytes.subarray(0, length));
      expect(count).toBe(whole);
      expect(report?.tornBytesCut).toBe(length - startOf(whole + 1));
      expect(wal?.append('chunk', payloadOf(99))).toBe(whole + 1);
      await wal?.close();
      expect((await reopen(damaged)).replayed).toHaveLength(whole + 1);
    }
  });

  test('is a new log when the cut is in the first header', async () => {
    const { disk, path, bytes } = await sixRecords();
    for (let length = 0; length < SEGMENT_HEADER_BYTES; length++) {
      const { count, report } = await replayOf(disk, path, bytes.subarray(0, length));
      expect(count).toBe(0);
      expect(report).toMatchObject({ created: true, tornBytesCut: length });
    }
  });

  test('is corrupt where the sign state has a higher sequence', async () => {
    const { disk, path, bytes } = await sixRecords();
    for (let length = 0; length < bytes.length; length++) {
      const { error, count } = await replayOf(disk, path, bytes.subarray(0, length), 4);
      const whole = Math.floor((length - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
      const endsBetweenRecords = length >= SEGMENT_HEADER_BYTES && length === startOf(whole + 1);
      if (whole >= 4 || endsBetweenRecords) expect(count).toBe(whole);
      else expect(error).toMatchObject({ code: 'corrupt', data: { file: path } });
    }
  });
});

test('a torn tail is truncated durably before the log is used, and never reappears behind later records', async () => {
  const calls: string[] = [];
  const disk = createSimDisk({ random: createRandom(1), observe: ({ operation }) => calls.push(operation) });
  const { wal } = await open(disk);
  append(wal, 'own-notarize', payloadOf(1));
  await wal.close();
  const [path = ''] = disk.paths();
  disk.replaceContents(path, concatBytes(disk.contents(path) as Uint8Array, new Uint8Array(30).fill(5)));
  calls.length = 0;
  expect((await open(disk)).report.tornBytesCut).toBe(30);
  const at = calls.indexOf('truncate');
  expect(calls.slice(at, at + 2)).toEqual(['truncate', 'sync']);
});

describe('a bit flipped at any byte', () => {
  test('in a record proved durable by a later one is corruption with file and offset; above it, a tear', async () => {
    const { disk, path, bytes } = await sixRecords();
    const random = createRandom('flips');
    for (let at = 0; at < bytes.length; at++) {
      const flipped = bytes.slice();
      flipped[at] = (flipped[at] as number) ^ (1 << random.below(8));
      const { damaged, error, count } = await replayOf(disk, path, flipped);
      const sequence = 1 + Math.floor((at - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
      if (at < SEGMENT_HEADER_BYTES) {
        expect(error).toMatchObject({ code: 'corrupt', data: { file: path, offset: 0 } });
      } else if (sequence <= 4) {
        expect(error).toMatchObject({ code: 'corrupt', data: { file: path, offset: startOf(sequence), sequence } });
        expect(error?.message).toContain('slipstream wal inspect');
        expect(damaged.contents(path)).toEqual(flipped);
      } else {
        expect(count).toBe(sequence - 1);
      }
    }
  });
});

describe('holes', () => {
  test('zeros over any range behind the durable records are a torn tail, including whole records after them', async () => {
    const { disk, path, bytes } = await sixRecords();
    for (let from = startOf(5); from < bytes.length; from += 7) {
      for (let to = from + 1; to <= bytes.length; to += 11) {
        const holed = bytes.slice();
        holed.fill(0, from, to);
        const changed = holed.findIndex((byte, i) => byte !== bytes[i]);
        const whole = changed === -1 ? 6 : Math.floor((changed - SEGMENT_HEADER_BYTES) / RECORD_BYTES);
        const { count, report } = await replayOf(disk, path, holed);
        expect(count).toBe(whole);
        expect(report?.recordsCut).toBe(whole === 4 && to <= startOf(6) ? 1 : 0);
      }
    }
  });

  test('a tail of zeros of any length is truncated', async () => {
    const { disk, path, bytes } = await sixRecords();
    for (const zeros of [1, 28, 29, 30, 511, 4_096]) {
      const longer = new Uint8Array(bytes.length + zeros);
      longer.set(bytes);
      const { count, report } = await replayOf(disk, path, longer, 6);
      expect(count).toBe(6);
      expect(report?.tornBytesCut).toBe(zeros);
    }
  });

  test('a payload that contains a record of another segment is not read as a record', async () => {
    const { bytes } = await sixRecords();
    const disk = newDisk('other');
    const { wal } = await open(disk, {}, 'other');
    append(wal, 'own-notarize', payloadOf(1));
    await wal.sync();
    wal.append('chunk', bytes.subarray(SEGMENT_HEADER_BYTES));
    await wal.close();
    const path = disk.paths()[0] as string;
    const holed = disk.contents(path) as Uint8Array;
    holed.fill(0, startOf(2), startOf(2) + 20);
    const { count } = await replayOf(disk, path, holed);
    expect(count).toBe(1);
  });
});

describe('several segments', () => {
  async function threeSegments() {
    const disk = newDisk();
    const { wal } = await open(disk, { segmentBytesMax: SEGMENT_HEADER_BYTES + 2 * RECORD_BYTES });
    for (let i = 1; i <= 6; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.close();
    return { disk, paths: disk.paths() };
  }

  test('damage in one that has a successor is corruption', async () => {
    const { disk, paths } = await threeSegments();
    for (const path of paths.slice(0, 2)) {
      const bytes = disk.contents(path) as Uint8Array;
      for (const length of [10, SEGMENT_HEADER_BYTES, startOf(1) + 5, startOf(2), startOf(2) + 48]) {
        const { error } = await replayOf(disk, path, bytes.subarray(0, length));
        expect(error).toMatchObject({ code: 'corrupt' });
      }
      const behind = await replayOf(disk, path, concatBytes(bytes, new Uint8Array(30).fill(5)));
      expect(behind.error).toMatchObject({ code: 'corrupt', data: { file: path, offset: bytes.length } });
    }
  });

  test('a last one with a torn header is removed, and its name is reused', async () => {
    const { disk, paths } = await threeSegments();
    const path = paths[2] as string;
    const { damaged, count, report, wal } = await replayOf(disk, path, new Uint8Array(13));
    expect(count).toBe(4);
    expect(report).toMatchObject({ tornBytesCut: 13, segments: 2 });
    wal?.append('chunk', payloadOf(5));
    await wal?.close();
    expect((await reopen(damaged)).replayed).toHaveLength(5);
  });

  test('one of another log is refused', async () => {
    const { disk, paths } = await threeSegments();
    const other = newDisk('b');
    const { wal } = await open(other, { segmentBytesMax: SEGMENT_HEADER_BYTES + 2 * RECORD_BYTES }, 'another log');
    for (let i = 1; i <= 6; i++) append(wal, 'own-notarize', payloadOf(i));
    await wal.close();
    const path = paths[2] as string;
    const { error } = await replayOf(disk, path, other.contents(path) as Uint8Array);
    expect(error).toMatchObject({ code: 'foreign' });
  });
});

test('a whole record of an unknown kind is reported as written by a newer version', async () => {
  const { disk, path, bytes } = await sixRecords();
  const magic = new DataView(bytes.buffer).getUint32(SEGMENT_HEADER_BYTES, true);
  const record = encodeRecord({ magic, sequence: 7, durableSequence: 6, kindByte: 200, payload: payloadOf(7) });
  const longer = new Uint8Array([...bytes, ...record]);
  const { error } = await replayOf(disk, path, longer);
  expect(error).toMatchObject({ code: 'corrupt', data: { kindByte: 200, sequence: 7 } });
  expect(error?.message).toContain('newer version');
});

test('a file of another store is refused', async () => {
  const { disk, path, bytes } = await sixRecords();
  const chunks = encodeSegmentHeader({
    ...(readSegmentHeader(bytes, path, 'log') as SegmentHeader),
    store: 'chunk files',
  });
  const { error } = await replayOf(disk, path, concatBytes(chunks, bytes.subarray(SEGMENT_HEADER_BYTES)));
  expect(error).toBeInstanceOf(RecordsError);
  expect(error).toMatchObject({ code: 'foreign', message: expect.stringContaining(path) });
});
