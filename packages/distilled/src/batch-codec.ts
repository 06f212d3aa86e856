/**
 * Wire form of a batch. It has one form, and its cost is bounded before memory is allocated.
 *
 *   header 106 | senders, recipients, amounts, sequences, tags as shortest varints, senders as differences |
 *   number of stragglers, varint | aggregate 96, if a row has no straggler | stragglers, 84 each
 *   straggler: position u32 | expiryMs u64 | feeCap u64 | signature 64              little-endian
 */
import { assert, fail, ok, type Result, unreachable } from '@slipstream/primitives';
import { BLS_AGGREGATE_BYTES } from '@slipstream/types';
import type { Batch } from './batch.ts';
import { BATCH_HEADER_BYTES, batchHeaderCodec } from './header.ts';
import {
  ROW_VARINT_BYTES_MAX,
  ROW_VARINT_BYTES_MIN,
  readRows,
  readStragglers,
  STRAGGLER_BYTES,
  writeRows,
  writeStragglers,
} from './row-wire.ts';
import { BATCH_ROWS_MAX, findDisorder } from './rows.ts';
import { type Cursor, cursorAt, readVarint32, type VarintFault, writeVarint32 } from './varints.ts';

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
  return bytes.slice(0, writeStragglers(bytes, at, rows.count, stragglers));
}
