/** Torn tails, flipped bits and foreign files: what a walk over a segment finds, whatever happened to its bytes. */
import { bytesEqual, concatBytes } from '@slipstream/primitives';
import { createRandom, createSimDisk } from '@slipstream/simulator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkSegmentHeader,
  crc32c,
  createSegment,
  encodeRecord,
  encodeSegmentHeader,
  listSegments,
  NO_LOG_ID,
  newSegmentHeader,
  RECORD_OVERHEAD_BYTES,
  RecordsError,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  scanRecords,
  segmentPath,
} from '../src/index.ts';

const genesisHash = new Uint8Array(32).fill(7);
const header: SegmentHeader = {
  store: 'log',
  genesisHash,
  logId: NO_LOG_ID,
  firstSequence: 1,
  recordMagic: 0x5eed1234,
};

interface Payload {
  readonly kindByte: number;
  readonly payload: Uint8Array;
}

const payloads = fc.array(
  fc.record({ kindByte: fc.integer({ min: 0, max: 255 }), payload: fc.uint8Array({ maxLength: 90 }) }),
  { minLength: 1, maxLength: 8 },
);

/** A segment of these records, and where each begins. */
function segmentOf(records: readonly Payload[]): { readonly bytes: Uint8Array; readonly offsets: readonly number[] } {
  const parts = [encodeSegmentHeader(header)];
  const offsets: number[] = [];
  let at = SEGMENT_HEADER_BYTES;
  for (const [i, each] of records.entries()) {
    offsets.push(at);
    const record = encodeRecord({ magic: header.recordMagic, sequence: i + 1, durableSequence: i, ...each });
    expect(record.length).toBe(RECORD_OVERHEAD_BYTES + each.payload.length);
    parts.push(record);
    at += record.length;
  }
  return { bytes: concatBytes(...parts), offsets };
}

const walk = (bytes: Uint8Array) => [...scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)];

/** Every byte behind the header is in one item, and what is taken for a record is one of those that were written. */
function expectReported(bytes: Uint8Array, written: readonly Payload[]): readonly number[] {
  let at = SEGMENT_HEADER_BYTES;
  const sequences: number[] = [];
  for (const item of walk(bytes)) {
    expect(item.offset).toBe(at);
    at += item.bytes;
    if (item.type === 'damage') continue;
    const { kindByte, payload } = written[item.sequence - 1] as Payload;
    expect([item.kindByte, bytesEqual(item.payload, payload)]).toEqual([kindByte, true]);
    sequences.push(item.sequence);
  }
  expect(at).toBe(bytes.length);
  return sequences;
}

describe('a scan of a segment', () => {
  test('finds every written record', () => {
    fc.assert(
      fc.property(payloads, (records) => {
        expect(expectReported(segmentOf(records).bytes, records)).toEqual(records.map((_, i) => i + 1));
      }),
    );
  });

  test('finds the records before a torn tail, and reports the rest as damage', () => {
    fc.assert(
      fc.property(payloads, fc.nat(1_000), fc.nat(40), (records, cut, zeros) => {
        const { bytes, offsets } = segmentOf(records);
        const length = SEGMENT_HEADER_BYTES + (cut % (bytes.length - SEGMENT_HEADER_BYTES + 1));
        const torn = concatBytes(bytes.subarray(0, length), new Uint8Array(zeros));
        const whole = [...offsets.slice(1), bytes.length].filter((end) => end <= length).length;
        const sequences = expectReported(torn, records);
        // Zeros may be what was cut off.
        expect(sequences.slice(0, whole)).toEqual(records.slice(0, whole).map((_, i) => i + 1));
        if (zeros === 0) expect(sequences).toHaveLength(whole);
      }),
    );
  });

  test('finds all records but the one in which a bit is flipped', () => {
    fc.assert(
      fc.property(payloads, fc.nat(100_000), (records, drawn) => {
        const { bytes, offsets } = segmentOf(records);
        const bit = 8 * SEGMENT_HEADER_BYTES + (drawn % (8 * (bytes.length - SEGMENT_HEADER_BYTES)));
        const flipped = bytes.slice();
        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
        const hit = offsets.filter((offset) => offset <= bit >> 3).length;
        expect(expectReported(flipped, records)).toEqual(records.map((_, i) => i + 1).filter((each) => each !== hit));
      }),
    );
  });

  test('reads no record of a segment with another magic out of a payload', () => {
    const foreign = encodeRecord({
      magic: 77,
      sequence: 9,
      durableSequence: 8,
      kindByte: 1,
      payload: new Uint8Array(5),
    });
    const records = [1, 2, 3].map((kindByte) => ({ kindByte, payload: foreign }));
    const { bytes, offsets } = segmentOf(records);
    bytes.fill(0, offsets[1], (offsets[1] as number) + 10);
    expect(expectReported(bytes, records)).toEqual([1, 3]);
  });
});

describe('a header', () => {
  const encoded = encodeSegmentHeader(header);

  test('reads back as it was written', () => {
    expect(readSegmentHeader(encoded, 'a', 'log')).toEqual(header);
  });

  test('with any bit flipped, or cut short, is refused', () => {
    for (let bit = 0; bit < 8 * encoded.length; bit++) {
      const flipped = encoded.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(readSegmentHeader(flipped, 'a', 'log')).toBeUndefined();
      expect(readSegmentHeader(encoded.subarray(0, bit >> 3), 'a', 'log')).toBeUndefined();
    }
  });

  const thrownBy = (call: () => unknown): unknown => {
    try {
      return call();
    } catch (error) {
      return error;
    }
  };

  test('of another format is refused with the remedy', () => {
    const other = encoded.slice();
    const view = new DataView(other.buffer);
    view.setUint16(4, 99, true);
    view.setUint32(60, crc32c(other, 0, 60), true);
    const error = thrownBy(() => readSegmentHeader(other, 'folder/a', 'log'));
    expect(error).toBeInstanceOf(RecordsError);
    expect(error).toMatchObject({ code: 'unknown-format', data: { file: 'folder/a', version: 99 } });
  });

  test('of another store, another chain or another log is refused as foreign', () => {
    const refused = { code: 'foreign', message: expect.stringContaining('folder/a') };
    expect(thrownBy(() => readSegmentHeader(encoded, 'folder/a', 'journal'))).toMatchObject(refused);
    const expected = { genesisHash, logId: NO_LOG_ID };
    expect(thrownBy(() => checkSegmentHeader(header, 'folder/a', expected))).toBeUndefined();
    for (const other of [{ genesisHash: new Uint8Array(32) }, { logId: new Uint8Array(8).fill(1) }]) {
      const error = thrownBy(() => checkSegmentHeader(header, 'folder/a', { ...expected, ...other }));
      expect(error).toMatchObject(refused);
    }
  });
});

test('a created segment survives a power cut with its header, and its store lists it, oldest first', async () => {
  const sim = createSimDisk({ random: createRandom('segments') });
  const disk = sim.mount();
  await disk.makeDirectory('folder');
  const random = createRandom('magic');
  const made = [12, 3].map((firstSequence) =>
    newSegmentHeader(random, { store: 'log', genesisHash, logId: NO_LOG_ID, firstSequence }),
  );
  for (const each of made) await createSegment(disk, 'folder', each);
  await createSegment(disk, 'folder', { ...header, store: 'journal' });
  sim.crash('lose-all');
  const again = sim.mount();
  const listed = await listSegments(again, 'folder', 'log');
  expect(listed.map(({ firstSequence }) => firstSequence)).toEqual([3, 12]);
  const [path] = listed.map(({ path }) => path);
  expect(path).toBe(segmentPath('folder', 'log', 3));
  const bytes = sim.contents(path as string) as Uint8Array;
  expect(readSegmentHeader(bytes, 'a', 'log')).toEqual(made[1]);
});
