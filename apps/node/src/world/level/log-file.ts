/**
 * LevelDB's logs, of batches and of its manifest: records in fragments, each with a checksum, in blocks of 32 KiB.
 *
 *   fragment    checksum u32 | length u16 | type u8 (whole, first, middle, last) | bytes
 *
 * A fragment whose checksum does not hold is passed over by its length, if a sound one stands there; else the rest of its block is.
 * Nothing else in a block is looked at: what a peer put into a value must not pass for a record.
 *
 * Source: github.com/google/leveldb, doc/log_format.md.
 */
import { concatBytes } from '@slipstream/primitives';
import { isSummed } from './coding.ts';

const BLOCK_BYTES = 32_768;
const HEADER_BYTES = 7;
const TYPE_AT = 6;
const WHOLE = 1;
const FIRST = 2;
const LAST = 4;

export type LogItem =
  | { readonly type: 'record'; readonly offset: number; readonly bytes: Uint8Array }
  /** Bytes that are no record, or a record that lacks a part. `atEnd`: a writer that died may have left it so. */
  | { readonly type: 'damage'; readonly offset: number; readonly atEnd: boolean };

export function* scanLogFile(bytes: Uint8Array): Generator<LogItem> {
  /** Of the record that is being read; empty between two. */
  let parts: Uint8Array[] = [];
  let begin = 0;
  for (let at = 0; at < bytes.length; ) {
    const blockEnd = Math.min(bytes.length, at - (at % BLOCK_BYTES) + BLOCK_BYTES);
    if (isTrailer(bytes, at, blockEnd)) {
      at = blockEnd;
      continue;
    }
    const end = fragmentEnd(bytes, at, blockEnd);
    const type = end === undefined ? undefined : bytes[at + TYPE_AT];
    const begins = type === WHOLE || type === FIRST;
    const fits = begins ? parts.length === 0 : type !== undefined && parts.length > 0;
    if (!fits) {
      yield { type: 'damage', offset: parts.length > 0 ? begin : at, atEnd: leadsBeyond(bytes, at, blockEnd) };
      parts = [];
    }
    if (end === undefined || (!fits && !begins)) {
      at = end ?? nextFragment(bytes, at, blockEnd);
      continue;
    }
    if (begins) begin = at;
    parts.push(bytes.subarray(at + HEADER_BYTES, end));
    if (type === WHOLE || type === LAST) {
      yield { type: 'record', offset: begin, bytes: concatBytes(...parts) };
      parts = [];
    }
    at = end;
  }
  if (parts.length > 0) yield { type: 'damage', offset: begin, atEnd: true };
}

/** No header fits into the rest of a block: zeros fill it. */
function isTrailer(bytes: Uint8Array, at: number, blockEnd: number): boolean {
  const isRest = blockEnd - at < HEADER_BYTES && blockEnd % BLOCK_BYTES === 0;
  return isRest && bytes.subarray(at, blockEnd).every((byte) => byte === 0);
}

/** Where the sound fragment at `at` ends; undefined when there is none. */
function fragmentEnd(bytes: Uint8Array, at: number, blockEnd: number): number | undefined {
  if (blockEnd - at < HEADER_BYTES) return undefined;
  const end = lengthEnd(bytes, at);
  const type = bytes[at + TYPE_AT] as number;
  const isSound = end <= blockEnd && type >= WHOLE && type <= LAST && isSummed(bytes, at + TYPE_AT, end, at);
  return isSound ? end : undefined;
}

function lengthEnd(bytes: Uint8Array, at: number): number {
  return at + HEADER_BYTES + ((bytes[at + 4] as number) | ((bytes[at + 5] as number) << 8));
}

/** A fragment that does not end in the file: its writer may have died. */
function leadsBeyond(bytes: Uint8Array, at: number, blockEnd: number): boolean {
  return blockEnd === bytes.length && (blockEnd - at < HEADER_BYTES || lengthEnd(bytes, at) > blockEnd);
}

/** Behind a fragment that is not sound: the one that its length leads to, if that is; else the next block. */
function nextFragment(bytes: Uint8Array, at: number, blockEnd: number): number {
  if (blockEnd - at < HEADER_BYTES) return blockEnd;
  const next = lengthEnd(bytes, at);
  return next < blockEnd && fragmentEnd(bytes, next, blockEnd) !== undefined ? next : blockEnd;
}
