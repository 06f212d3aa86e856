/**
 * Records: their encoding, and a scan of a segment's bytes.
 *
 *   magic u32 | sequence u64 | durableSequence u64 | kind u8 | length u32 | payload | CRC-32C u32   (little-endian)
 *
 * The store defines sequence, durable sequence and kind. The magic is the segment's, random and never sent: otherwise bytes inside a
 * payload could pass for a record when the scan continues behind a torn place.
 */
import { assert } from '@slipstream/primitives';
import { crc32c } from './crc32c.ts';

const SEQUENCE_AT = 4;
const DURABLE_AT = 12;
const KIND_AT = 20;
const LENGTH_AT = 21;
const PAYLOAD_AT = 25;
const CHECKSUM_BYTES = 4;
const KIND_BYTE_MAX = 255;

/** A record's bytes besides its payload. */
export const RECORD_OVERHEAD_BYTES = PAYLOAD_AT + CHECKSUM_BYTES;

export interface RecordFields {
  readonly magic: number;
  readonly sequence: number;
  /** The highest durable sequence when the record was written. */
  readonly durableSequence: number;
  /** From the store's table. */
  readonly kindByte: number;
  readonly payload: Uint8Array;
}

/** Copies the payload. */
export function encodeRecord({ payload, ...fields }: RecordFields): Uint8Array {
  const bytes = new Uint8Array(RECORD_OVERHEAD_BYTES + payload.length);
  writeRecord(bytes, 0, fields, [payload]);
  return bytes;
}

/** Writes a record at an offset and returns the offset behind it. `payload`: in parts. */
export function writeRecord(
  bytes: Uint8Array,
  offset: number,
  { magic, sequence, durableSequence, kindByte }: Omit<RecordFields, 'payload'>,
  payload: readonly Uint8Array[],
): number {
  assert(kindByte >= 0 && kindByte <= KIND_BYTE_MAX, 'a kind is a byte');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  view.setUint32(offset, magic, true);
  setUint53(view, offset + SEQUENCE_AT, sequence);
  setUint53(view, offset + DURABLE_AT, durableSequence);
  bytes[offset + KIND_AT] = kindByte;
  let at = offset + PAYLOAD_AT;
  for (const part of payload) {
    bytes.set(part, at);
    at += part.length;
  }
  view.setUint32(offset + LENGTH_AT, at - offset - PAYLOAD_AT, true);
  view.setUint32(at, crc32c(bytes, offset, at), true);
  return at + CHECKSUM_BYTES;
}

/** A record with a matching checksum. Kind and sequence are not checked. */
export interface WholeRecord {
  readonly type: 'record';
  readonly offset: number;
  /** Size with the overhead. */
  readonly bytes: number;
  readonly sequence: number;
  readonly durableSequence: number;
  readonly kindByte: number;
  /** A view into the segment's bytes. */
  readonly payload: Uint8Array;
}

/** Bytes up to the next whole record or the end. */
export interface Damage {
  readonly type: 'damage';
  readonly offset: number;
  readonly bytes: number;
}

/** Yields the whole records from `start` on, and the ranges of damage between them. */
export function* scanRecords(bytes: Uint8Array, start: number, magic: number): Generator<WholeRecord | Damage> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = start;
  while (at < bytes.length) {
    const record = readRecord(bytes, view, at, magic);
    if (record !== undefined) {
      yield record;
      at += record.bytes;
      continue;
    }
    const next = findRecord(bytes, view, at + 1, magic);
    yield { type: 'damage', offset: at, bytes: next - at };
    at = next;
  }
}

function readRecord(bytes: Uint8Array, view: DataView, offset: number, magic: number): WholeRecord | undefined {
  const room = bytes.length - offset - RECORD_OVERHEAD_BYTES;
  if (room < 0 || view.getUint32(offset, true) !== magic) return undefined;
  const length = view.getUint32(offset + LENGTH_AT, true);
  if (length > room) return undefined;
  const payloadAt = offset + PAYLOAD_AT;
  const checksumAt = payloadAt + length;
  if (view.getUint32(checksumAt, true) !== crc32c(bytes, offset, checksumAt)) return undefined;
  return {
    type: 'record',
    offset,
    bytes: RECORD_OVERHEAD_BYTES + length,
    sequence: getUint53(view, offset + SEQUENCE_AT),
    durableSequence: getUint53(view, offset + DURABLE_AT),
    kindByte: bytes[offset + KIND_AT] as number,
    payload: bytes.subarray(payloadAt, checksumAt),
  };
}

/** Offset of the next whole record from `from` on, or the end. */
function findRecord(bytes: Uint8Array, view: DataView, from: number, magic: number): number {
  const first = magic & 0xff;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (readRecord(bytes, view, at, magic) !== undefined) return at;
  }
  return bytes.length;
}

const TWO_TO_32 = 0x1_0000_0000;

/** Sequences are exact below 2^53: 285 years at a million records per second. */
export function setUint53(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_TO_32, true);
  view.setUint32(at + 4, Math.floor(value / TWO_TO_32), true);
}

export function getUint53(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint32(at + 4, true) * TWO_TO_32;
}
