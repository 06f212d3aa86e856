/**
 * Entries of the index: where each chunk is, and how far each segment is indexed.
 *
 *   chunk id (32 bytes)          segment u32 | offset u64 | bytes u32                      (little-endian)
 *   "segment " | number u64be    indexed bytes u64 | highest height u64 | removed u8
 */
import type { KeyValue, KeyValueOperation } from '@slipstream/ports';
import { assert, concatBytes, utf8 } from '@slipstream/primitives';

/** Place of a record. */
export interface Location {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: number;
}

export interface SegmentEntry {
  /** All records before this offset are indexed. */
  readonly indexedBytes: number;
  /** Highest height of its chunks. */
  readonly highestHeight: number;
  /** The file is being removed: recovery removes one that still exists, and treats a missing one as pruned. */
  readonly isRemoved?: boolean;
}

export const CHUNK_ID_BYTES = 32;
const LOCATION_BYTES = 16;
const SEGMENT_PREFIX = utf8('segment ');
const SEGMENT_KEY_BYTES = SEGMENT_PREFIX.length + 8;
const SEGMENT_VALUE_BYTES = 17;
const SEGMENTS_AT_ONCE = 1000;

function locationValue({ segment, offset, bytes }: Location): Uint8Array {
  const value = new DataView(new ArrayBuffer(LOCATION_BYTES));
  value.setUint32(0, segment, true);
  value.setBigUint64(4, BigInt(offset), true);
  value.setUint32(12, bytes, true);
  return new Uint8Array(value.buffer);
}

/** Undefined when the value is damaged. */
export function locationIn(value: Uint8Array): Location | undefined {
  if (value.length !== LOCATION_BYTES) return undefined;
  const view = viewOf(value);
  return {
    segment: view.getUint32(0, true),
    offset: Number(view.getBigUint64(4, true)),
    bytes: view.getUint32(12, true),
  };
}

export function putLocation(chunkId: Uint8Array, location: Location): KeyValueOperation {
  assert(chunkId.length === CHUNK_ID_BYTES, 'a chunk id has 32 bytes');
  return { type: 'put', key: chunkId, value: locationValue(location) };
}

export function putSegment(segment: number, entry: SegmentEntry): KeyValueOperation {
  const value = new DataView(new ArrayBuffer(SEGMENT_VALUE_BYTES));
  value.setBigUint64(0, BigInt(entry.indexedBytes), true);
  value.setBigUint64(8, BigInt(entry.highestHeight), true);
  value.setUint8(16, entry.isRemoved === true ? 1 : 0);
  return { type: 'put', key: segmentKey(segment), value: new Uint8Array(value.buffer) };
}

export function deleteSegment(segment: number): KeyValueOperation {
  return { type: 'delete', key: segmentKey(segment) };
}

/** By number, ascending. */
export async function readSegments(index: Pick<KeyValue, 'range'>): Promise<Map<number, SegmentEntry>> {
  const entries = new Map<number, SegmentEntry>();
  const to = SEGMENT_PREFIX.slice();
  to[to.length - 1] = (to.at(-1) as number) + 1;
  for (let from: Uint8Array = SEGMENT_PREFIX; ; ) {
    const found = await index.range({ from, to, limit: SEGMENTS_AT_ONCE });
    for (const { key, value } of found) {
      // A chunk id may begin with the same bytes.
      if (key.length !== SEGMENT_KEY_BYTES || value.length !== SEGMENT_VALUE_BYTES) continue;
      const number = Number(viewOf(key).getBigUint64(SEGMENT_PREFIX.length));
      const view = viewOf(value);
      const [indexedBytes, highestHeight] = [view.getBigUint64(0, true), view.getBigUint64(8, true)];
      const isRemoved = view.getUint8(16) === 1;
      entries.set(number, { indexedBytes: Number(indexedBytes), highestHeight: Number(highestHeight), isRemoved });
    }
    const last = found.at(-1);
    if (last === undefined || found.length < SEGMENTS_AT_ONCE) return entries;
    from = concatBytes(last.key, new Uint8Array(1));
  }
}

function segmentKey(segment: number): Uint8Array {
  const key = new Uint8Array(SEGMENT_KEY_BYTES);
  key.set(SEGMENT_PREFIX);
  viewOf(key).setBigUint64(SEGMENT_PREFIX.length, BigInt(segment));
  return key;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
