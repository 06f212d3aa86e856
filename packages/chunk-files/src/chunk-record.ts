/** A chunk as a record: the sequence is the height, the payload the id and the chunk. */
import { bytesEqual } from '@slipstream/primitives';
import { RECORD_OVERHEAD_BYTES, scanRecords, type WholeRecord, writeRecord } from '@slipstream/records';
import { CHUNK_ID_BYTES } from './index-entries.ts';

/** The only kind in these files. */
const CHUNK = 1;

export interface KeptChunk {
  readonly chunkId: Uint8Array;
  /** Serialized signed chunk. */
  readonly bytes: Uint8Array;
}

/** Returns adjacent records, with the offset of each and of the end. */
export function encodeChunks(
  magic: number,
  height: number,
  chunks: readonly KeptChunk[],
): { readonly bytes: Uint8Array; readonly offsets: readonly number[] } {
  const lengths = chunks.map((chunk) => RECORD_OVERHEAD_BYTES + chunk.chunkId.length + chunk.bytes.length);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  const fields = { magic, sequence: height, durableSequence: 0, kindByte: CHUNK };
  const offsets = [0];
  for (const chunk of chunks) {
    offsets.push(writeRecord(bytes, offsets.at(-1) as number, fields, [chunk.chunkId, chunk.bytes]));
  }
  return { bytes, offsets };
}

/** The id and chunk as views; undefined for another kind of record. */
export function chunkIn({ kindByte, payload }: WholeRecord): KeptChunk | undefined {
  if (kindByte !== CHUNK || payload.length < CHUNK_ID_BYTES) return undefined;
  return { chunkId: payload.subarray(0, CHUNK_ID_BYTES), bytes: payload.subarray(CHUNK_ID_BYTES) };
}

/** Undefined unless the bytes are exactly one whole record of this chunk. */
export function chunkOfRecord(record: Uint8Array, chunkId: Uint8Array): Uint8Array | undefined {
  if (record.length < 4) return undefined;
  // Any segment's magic is accepted, because the checksum covers the magic.
  const magic = new DataView(record.buffer, record.byteOffset, record.byteLength).getUint32(0, true);
  const { value: found } = scanRecords(record, 0, magic).next();
  if (found?.type !== 'record' || found.bytes !== record.length) return undefined;
  const chunk = chunkIn(found);
  return chunk && bytesEqual(chunk.chunkId, chunkId) ? chunk.bytes : undefined;
}
