/** Columns of rows as the bytes of one field. */
import { assert } from '@slipstream/primitives';
import { ROW_VARINT_BYTES_MAX, ROW_VARINT_BYTES_MIN, readRows, writeRows } from '../row-wire.ts';
import { BATCH_ROWS_MAX, findDisorder, type RowColumns } from '../rows.ts';
import { cursorAt } from '../varints.ts';

/** Throws PrimitivesError `invariant-broken` unless they ascend strictly. */
export function columnsToBytes(rows: RowColumns): Uint8Array {
  assert(findDisorder(rows) === undefined, 'rows ascend by sender, then sequence');
  const bytes = new Uint8Array(ROW_VARINT_BYTES_MAX * rows.count);
  return bytes.slice(0, writeRows(bytes, 0, rows));
}

/** Throws RangeError for other than one to BATCH_ROWS_MAX rows that ascend, or more bytes. */
export function columnsFromBytes(bytes: Uint8Array, count: number): RowColumns {
  if (count < 1 || count > BATCH_ROWS_MAX) throw new RangeError(`1 to ${BATCH_ROWS_MAX} rows, not ${count}`);
  if (bytes.length < ROW_VARINT_BYTES_MIN * count)
    throw new RangeError(`${bytes.length} bytes are too few for ${count} rows`);
  const cursor = cursorAt(bytes, 0);
  const rows = readRows(cursor, count);
  if (cursor.fault !== undefined) throw new RangeError(`a number before byte ${cursor.at} is ${cursor.fault}`);
  if (cursor.at !== bytes.length) throw new RangeError('there are bytes after the rows');
  const disorder = findDisorder(rows);
  if (disorder !== undefined) throw new RangeError(`row ${disorder} does not ascend`);
  return rows;
}
