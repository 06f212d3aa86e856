/** Inspection: reads a log without changes and past all damage, for `slipstream wal inspect` and `doctor`. */
import { type Disk, DiskError } from '@slipstream/ports';
import { toHex } from '@slipstream/primitives';
import {
  listSegments,
  readSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  type SegmentName,
  scanRecords,
} from '@slipstream/records';
import { kindOfByte } from './record-kinds.ts';
import { readSegment } from './replay.ts';
import type { LogPosition } from './sign-state.ts';

export type InspectEntry =
  /** The node pruned the segment, and all before it, meanwhile. */
  | { readonly type: 'gone'; readonly file: string }
  | {
      readonly type: 'segment';
      readonly file: string;
      readonly bytes: number;
      readonly genesisHash: string;
      readonly logId: string;
      readonly firstSequence: number;
    }
  | {
      readonly type: 'record';
      readonly file: string;
      readonly offset: number;
      readonly bytes: number;
      readonly sequence: number;
      readonly durableSequence: number;
      /** `unknown (BYTE)` for a newer version's kind. */
      readonly kind: string;
      readonly payload: Uint8Array;
      /** The sequence follows that of the last whole record. */
      readonly inOrder: boolean;
    }
  | {
      readonly type: 'damage';
      readonly file: string;
      readonly offset: number;
      readonly bytes: number;
      readonly what: 'header' | 'records';
    };

/** Yields all segments of a folder, oldest first, each in byte order. Payloads are views of a segment. */
export async function* inspectLog(disk: Disk, directory: string): AsyncGenerator<InspectEntry> {
  let expected: number | undefined;
  for (const segment of await listSegments(disk, directory, 'log')) {
    const bytes = await readIfThere(disk, segment);
    if (bytes === undefined) {
      yield { type: 'gone', file: segment.path };
      expected = undefined;
      continue;
    }
    const header = readHeader(bytes, segment);
    if (header === undefined) {
      yield { type: 'damage', file: segment.path, offset: 0, bytes: bytes.length, what: 'header' };
      continue;
    }
    const { firstSequence } = header;
    const logId = toHex(header.logId);
    const genesisHash = toHex(header.genesisHash);
    yield { type: 'segment', file: segment.path, bytes: bytes.length, genesisHash, logId, firstSequence };
    expected ??= firstSequence;
    for (const item of scanRecords(bytes, SEGMENT_HEADER_BYTES, header.recordMagic)) {
      if (item.type === 'damage') {
        yield { type: 'damage', file: segment.path, offset: item.offset, bytes: item.bytes, what: 'records' };
        continue;
      }
      const { offset, bytes: size, sequence, durableSequence, payload } = item;
      const kind = kindOfByte(item.kindByte) ?? `unknown (${item.kindByte})`;
      const inOrder = sequence === expected;
      expected = sequence + 1;
      yield {
        type: 'record',
        file: segment.path,
        offset,
        bytes: size,
        sequence,
        durableSequence,
        kind,
        payload,
        inOrder,
      };
    }
  }
}

/** Position of the newest log in a folder; undefined when there is none, or its header is damaged. */
export async function logPosition(disk: Disk, directory: string): Promise<LogPosition | undefined> {
  let position: LogPosition | undefined;
  for await (const entry of inspectLog(disk, directory)) {
    if (entry.type === 'segment') position = { logId: entry.logId, lastSequence: entry.firstSequence - 1 };
    if (entry.type === 'record' && position !== undefined) position = { ...position, lastSequence: entry.sequence };
  }
  return position;
}

async function readIfThere(disk: Disk, segment: SegmentName): Promise<Uint8Array | undefined> {
  try {
    return await readSegment(disk, segment);
  } catch (error) {
    if (error instanceof DiskError && error.code === 'not-found') return undefined;
    throw error;
  }
}

function readHeader(bytes: Uint8Array, segment: SegmentName): SegmentHeader | undefined {
  try {
    return readSegmentHeader(bytes, segment.path, 'log');
  } catch {
    return undefined; // another format version: shown as an unreadable header
  }
}

/** One line for people. */
export function formatInspectEntry(entry: InspectEntry): string {
  switch (entry.type) {
    case 'gone':
      return `${entry.file}: removed by its node meanwhile`;
    case 'segment':
      return `${entry.file}: ${entry.bytes} bytes, from ${entry.firstSequence}, log ${entry.logId}, genesis ${entry.genesisHash}`;
    case 'record': {
      const order = entry.inOrder ? '' : '  OUT OF ORDER';
      const payload = `${entry.payload.length} bytes ${toHex(entry.payload.subarray(0, PREVIEW_BYTES))}`;
      return `  ${entry.offset}: ${entry.sequence} (durable ${entry.durableSequence}) ${entry.kind}, ${payload}${order}`;
    }
    case 'damage':
      return `  ${entry.offset}: DAMAGE, ${entry.bytes} bytes of ${entry.what}`;
  }
}

/** Enough to tell two payloads apart. */
const PREVIEW_BYTES = 16;
