/**
 * Wire form of a batch. It has one form, and its cost is bounded before memory is allocated.
 *
 *   header 106 | senders, recipients, amounts, sequences, tags as shortest varints, senders as differences |
 *   number of stragglers, varint | aggregate 96, if a row has no straggler | stragglers, 84 each
 *   straggler: position u32 | expiryMs u64 | feeCap u64 | signature 64              little-endian
 */
import { assert, fail, ok, type Result, unreachable } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES, ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import type { Batch, Straggler } from './batch.ts';
import { areStragglerTerms, BATCH_HEADER_BYTES, batchHeaderCodec } from './header.ts';
import { BATCH_ROWS_MAX, createColumns, findDisorder, type RowColumns } from './rows.ts';
import {
  type Cursor,
  cursorAt,
  readVarint32,
  readVarint64,
  type VarintFault,
  writeVarint32,
  writeVarint64,
} from './varints.ts';

const STRAGGLER_BYTES = 20 + ED25519_SIGNATURE_BYTES;
/** A varint for each column. */
const ROW_VARINT_BYTES_MIN = 5;
const ROW_VARINT_BYTES_MAX = 4 * 5 + 10;
const COUNT_BYTES_MAX = 5;

export const BATCH_BYTES_MAX =
  BATCH_HEADER_BYTES +
  BATCH_ROWS_MAX * (ROW_VARINT_BYTES_MAX + STRAGGLER_BYTES) +
  COUNT_BYTES_MAX +
  BLS_AGGREGATE_BYTES;

type BatchDecodeError = {
  readonly code:
    | 'oversize'
    | 'bad-header' // also of an unknown version or kind, or a number of rows out of bounds
    | 'cut-short'
    | 'not-shortest'
    | 'too-large' // a number beyond its column
    | 'not-ascending' // rows
    | 'bad-stragglers' // more than rows, or not ascending by position
    | 'too-long'; // bytes after the batch
  readonly message: string;
};

/** Byte fields share the input's memory. */
export function decodeBatch(bytes: Uint8Array): Result<Batch, BatchDecodeError> {
  if (bytes.length > BATCH_BYTES_MAX) return refused('oversize', `${bytes.length} bytes, at most ${BATCH_BYTES_MAX}`);
  if (bytes.length < BATCH_HEADER_BYTES) return refused('cut-short', `${bytes.length} bytes are no header`);
  const header = batchHeaderCodec.decode(bytes.subarray(0, BATCH_HEADER_BYTES));
  if (!header.ok) return refused('bad-header', header.error.message);

  const { rows: count } = header.value;
  if (bytes.length - BATCH_HEADER_BYTES < ROW_VARINT_BYTES_MIN * count) {
    return refused('cut-short', `${bytes.length} bytes are too few for ${count} rows`);
  }
  const cursor = cursorAt(bytes, BATCH_HEADER_BYTES);
  const rows = readRows(cursor, count);
  if (cursor.fault !== undefined) return refusedAt(cursor, cursor.fault);
  const disorder = findDisorder(rows);
  if (disorder !== undefined) return refused('not-ascending', `row ${disorder} does not ascend`);

  const stragglerCount = readVarint32(cursor);
  if (cursor.fault !== undefined) return refusedAt(cursor, cursor.fault);
  if (stragglerCount > count) return refused('bad-stragglers', `${stragglerCount} stragglers of ${count} rows`);
  const aggregateBytes = stragglerCount < count ? BLS_AGGREGATE_BYTES : 0;
  const left = bytes.length - cursor.at;
  const wanted = aggregateBytes + STRAGGLER_BYTES * stragglerCount;
  if (left !== wanted) {
    return refused(left < wanted ? 'cut-short' : 'too-long', `${left} bytes after the rows, not ${wanted}`);
  }
  const aggregate = aggregateBytes === 0 ? undefined : bytes.subarray(cursor.at, cursor.at + aggregateBytes);
  const stragglers = readStragglers(bytes.subarray(cursor.at + aggregateBytes), stragglerCount, count);
  if (stragglers === undefined) return refused('bad-stragglers', 'their positions or expiries are out of bounds');
  return ok({ header: header.value, rows, stragglers, aggregate });
}

function readRows(cursor: Cursor, count: number): RowColumns {
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
function readStragglers(bytes: Uint8Array, count: number, rows: number): readonly Straggler[] | undefined {
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

function refusedAt(cursor: Cursor, fault: VarintFault): Result<never, BatchDecodeError> {
  switch (fault) {
    case 'cut-short':
      return refused(fault, 'the columns end early');
    case 'not-shortest':
      return refused(fault, `the number before byte ${cursor.at} has a shorter form`);
    case 'too-large':
      return refused(fault, `the number before byte ${cursor.at} is too large`);
    default:
      return unreachable(fault, 'fault of a varint');
  }
}

function refused(code: BatchDecodeError['code'], what: string): Result<never, BatchDecodeError> {
  return fail({ code, message: `batch: ${what}` });
}

/** Throws PrimitivesError `invariant-broken` for a batch that decodeBatch would refuse, or `encode-failed` for its header. */
export function encodeBatch(batch: Batch): Uint8Array {
  const { header, rows, stragglers, aggregate } = batch;
  assert(rows.count === header.rows && findDisorder(rows) === undefined, 'rows ascend and are as many as announced');
  assert((aggregate !== undefined) === stragglers.length < rows.count, 'an aggregate is of rows without straggler');
  const bytesMax = BATCH_HEADER_BYTES + ROW_VARINT_BYTES_MAX * rows.count + COUNT_BYTES_MAX + BLS_AGGREGATE_BYTES;
  const bytes = new Uint8Array(bytesMax + STRAGGLER_BYTES * stragglers.length);
  bytes.set(batchHeaderCodec.encode(header));
  let at = writeRows(bytes, BATCH_HEADER_BYTES, rows);
  at = writeVarint32(bytes, at, stragglers.length);
  if (aggregate !== undefined) {
    assert(aggregate.length === BLS_AGGREGATE_BYTES, 'an aggregate is compressed');
    bytes.set(aggregate, at);
    at += BLS_AGGREGATE_BYTES;
  }
  return bytes.slice(0, writeStragglers(bytes, at, batch));
}

function writeRows(bytes: Uint8Array, from: number, rows: RowColumns): number {
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

function writeStragglers(bytes: Uint8Array, from: number, { rows, stragglers }: Batch): number {
  const view = new DataView(bytes.buffer);
  let at = from;
  let before = -1;
  for (const { position, expiryMs, feeCap, signature } of stragglers) {
    assert(position > before && position < rows.count, 'positions of stragglers ascend within the rows');
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
