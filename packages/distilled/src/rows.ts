/**
 * Rows of a batch: transfers between accounts that are named by their index in the account directory.
 *
 *   sender u32 | recipient u32 | amount u64 | sequence u32 | tag u32          24 bytes, little-endian
 *
 * In memory they are columns, because an object per row costs more than its signature.
 */
import { assert } from '@slipstream/primitives';

export const ROW_BYTES = 24;
/** A window of a broker. The largest batch, with a straggler signature for each row, fills half a chunk. */
export const BATCH_ROWS_MAX = 8192;

export interface Row {
  /** Index in the account directory. */
  readonly sender: number;
  readonly recipient: number;
  readonly amount: bigint;
  /** Of the sender; each runs once. Zero never runs. */
  readonly sequence: number;
  /** For the recipient. */
  readonly tag: number;
}

export interface RowColumns {
  readonly count: number;
  readonly senders: Uint32Array;
  readonly recipients: Uint32Array;
  /** Two words each, the low one first. */
  readonly amounts: Uint32Array;
  readonly sequences: Uint32Array;
  readonly tags: Uint32Array;
}

export function createColumns(count: number): RowColumns {
  return {
    count,
    senders: new Uint32Array(count),
    recipients: new Uint32Array(count),
    amounts: new Uint32Array(2 * count),
    sequences: new Uint32Array(count),
    tags: new Uint32Array(count),
  };
}

/** Throws PrimitivesError `invariant-broken` for a number beyond its column: it would wrap, and a client would sign another amount. */
export function columnsOf(rows: readonly Row[]): RowColumns {
  const columns = createColumns(rows.length);
  for (const [i, row] of rows.entries()) {
    assert([row.sender, row.recipient, row.sequence, row.tag].every(isUint32), 'a number of a row has 32 bits');
    assert(isUint64(row.amount), 'an amount has 64 bits');
    columns.senders[i] = row.sender;
    columns.recipients[i] = row.recipient;
    columns.amounts[2 * i] = Number(row.amount & WORD_MASK);
    columns.amounts[2 * i + 1] = Number(row.amount >> 32n);
    columns.sequences[i] = row.sequence;
    columns.tags[i] = row.tag;
  }
  return columns;
}

const WORD_MASK = 0xffff_ffffn;

function isUint32(value: number): boolean {
  return value >>> 0 === value;
}

export function isUint64(value: bigint): boolean {
  return value >= 0n && value >> 64n === 0n;
}

export function rowAt(columns: RowColumns, position: number): Row {
  return {
    sender: columns.senders[position] as number,
    recipient: columns.recipients[position] as number,
    amount: amountOf(columns.amounts[2 * position] as number, columns.amounts[2 * position + 1] as number),
    sequence: columns.sequences[position] as number,
    tag: columns.tags[position] as number,
  };
}

export function amountOf(low: number, high: number): bigint {
  // One bigint instead of four, for nearly all.
  if (high === 0) return BigInt(low);
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Serialized rows, one after another. */
export function rowBytesOf(columns: RowColumns): Uint8Array {
  const { count, senders, recipients, amounts, sequences, tags } = columns;
  const bytes = new Uint8Array(ROW_BYTES * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0, at = 0; i < count; i++, at += ROW_BYTES) {
    view.setUint32(at, senders[i] as number, true);
    view.setUint32(at + 4, recipients[i] as number, true);
    view.setUint32(at + 8, amounts[2 * i] as number, true);
    view.setUint32(at + 12, amounts[2 * i + 1] as number, true);
    view.setUint32(at + 16, sequences[i] as number, true);
    view.setUint32(at + 20, tags[i] as number, true);
  }
  return bytes;
}

export function rowToBytes(row: Row): Uint8Array {
  return rowBytesOf(columnsOf([row]));
}

/** `bytes` has a row from `at` on. */
export function rowFromBytes(bytes: Uint8Array, at = 0): Row {
  const view = new DataView(bytes.buffer, bytes.byteOffset + at, ROW_BYTES);
  return {
    sender: view.getUint32(0, true),
    recipient: view.getUint32(4, true),
    amount: view.getBigUint64(8, true),
    sequence: view.getUint32(16, true),
    tag: view.getUint32(20, true),
  };
}

/** The first position that does not ascend strictly by sender, then sequence; undefined if all do. */
export function findDisorder({ count, senders, sequences }: RowColumns): number | undefined {
  for (let i = 1; i < count; i++) {
    const [sender, before] = [senders[i] as number, senders[i - 1] as number];
    if (sender < before) return i;
    if (sender === before && (sequences[i] as number) <= (sequences[i - 1] as number)) return i;
  }
  return undefined;
}
