/**
 * Columns and stragglers as bytes, in batches and in messages of a broker's stream.
 *
 *   senders, recipients, amounts, sequences, tags as shortest varints, senders as differences
 *   straggler: position u32 | expiryMs u64 | feeCap u64 | signature 64              little-endian
 */
import { assert } from '@slipstream/primitives';
import { ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import type { Straggler } from './batch.ts';
import { areStragglerTerms } from './header.ts';
import { createColumns, type RowColumns } from './rows.ts';
import { type Cursor, readVarint32, readVarint64, writeVarint32, writeVarint64 } from './varints.ts';

export const STRAGGLER_BYTES = 20 + ED25519_SIGNATURE_BYTES;
/** A varint for each column. */
export const ROW_VARINT_BYTES_MIN = 5;
export const ROW_VARINT_BYTES_MAX = 4 * 5 + 10;

/** `cursor.fault` says whether they are whole. */
export function readRows(cursor: Cursor, count: number): RowColumns {
  const rows = createColumns(count);
  const { senders, recipients, amounts, sequences, tags } = rows;
  let sender = 0;
  for (let i = 0; i < count; i++) {
    sender += readVarint32(cursor);
    if (sender > UINT32_MAX) cursor.fault ??= 'too-large';
    if (cursor.fault !== undefined) return rows;
    senders[i] = sender;
  }
  readColumn(cursor, recipients);
  for (let i = 0; i < count && cursor.fault === undefined; i++) readVarint64(cursor, amounts, 2 * i);
  readColumn(cursor, sequences);
  readColumn(cursor, tags);
  return rows;
}

const UINT32_MAX = 0xffff_ffff;

function readColumn(cursor: Cursor, column: Uint32Array): void {
  for (let i = 0; i < column.length && cursor.fault === undefined; i++) column[i] = readVarint32(cursor);
}

/** Undefined: positions do not ascend within the rows, or an expiry is above 2^53 - 1. */
export function readStragglers(bytes: Uint8Array, count: number, rows: number): readonly Straggler[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const stragglers: Straggler[] = [];
  let before = -1;
  for (let at = 0; stragglers.length < count; at += STRAGGLER_BYTES) {
    const position = view.getUint32(at, true);
    const expiryMs = Number(view.getBigUint64(at + 4, true));
    if (position <= before || position >= rows || !Number.isSafeInteger(expiryMs)) return undefined;
    before = position;
    const signature = bytes.subarray(at + 20, at + STRAGGLER_BYTES);
    stragglers.push({ position, expiryMs, feeCap: view.getBigUint64(at + 12, true), signature });
  }
  return stragglers;
}

/** Returns the place after them. */
export function writeRows(bytes: Uint8Array, from: number, rows: RowColumns): number {
  const { count, senders, recipients, amounts, sequences, tags } = rows;
  let at = from;
  for (let i = 0; i < count; i++) {
    at = writeVarint32(bytes, at, (senders[i] as number) - (i === 0 ? 0 : (senders[i - 1] as number)));
  }
  for (const recipient of recipients) at = writeVarint32(bytes, at, recipient);
  for (let i = 0; i < count; i++) {
    at = writeVarint64(bytes, at, amounts[2 * i] as number, amounts[2 * i + 1] as number);
  }
  for (const sequence of sequences) at = writeVarint32(bytes, at, sequence);
  for (const tag of tags) at = writeVarint32(bytes, at, tag);
  return at;
}

/** Returns the place after them. `rows`: how many. Throws PrimitivesError `invariant-broken` for terms that do not fit. */
export function writeStragglers(
  bytes: Uint8Array,
  from: number,
  rows: number,
  stragglers: readonly Straggler[],
): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = from;
  let before = -1;
  for (const { position, expiryMs, feeCap, signature } of stragglers) {
    assert(position > before && position < rows, 'positions of stragglers ascend within the rows');
    before = position;
    assert(areStragglerTerms({ expiryMs, feeCap }), 'expiry and fee cap of a straggler fit');
    assert(signature.length === ED25519_SIGNATURE_BYTES, 'a straggler has an Ed25519 signature');
    view.setUint32(at, position, true);
    view.setBigUint64(at + 4, BigInt(expiryMs), true);
    view.setBigUint64(at + 12, feeCap, true);
    bytes.set(signature, at + 20);
    at += STRAGGLER_BYTES;
  }
  return at;
}
