/** A message of rows, from the columns of a run: the bytes of the SDK's, without an object a row. */
import { createColumns, type RowColumns } from '@slipstream/distilled';
import { CLIENT_MESSAGES } from '@slipstream/distilled/stream';
import { ED25519_SIGNATURE_BYTES } from '@slipstream/types';
import { ROW_VARINT_BYTES_MAX, STRAGGLER_BYTES, writeRows } from '../../../packages/distilled/src/row-wire.ts';
import { amountOf, expiryMsOf, FEE_CAP, payeeOf, type RunRows, sequenceOf } from './run-rows.ts';

/** number u32, expiryMs u64, feeCap u64, count u32, then the offsets of columns and stragglers. */
const FIXED_BYTES = 4 + 8 + 8 + 4 + 4 + 4;

/** `numbers`: of rows, ascending by sender, then sequence. */
export function rowsMessage(rows: RunRows, numbers: ArrayLike<number>, messageNumber: number): Uint8Array {
  const count = numbers.length;
  const bytes = new Uint8Array(1 + FIXED_BYTES + (ROW_VARINT_BYTES_MAX + STRAGGLER_BYTES) * count);
  const view = new DataView(bytes.buffer);
  const columnsAt = 1 + FIXED_BYTES;
  const stragglersAt = writeRows(bytes, columnsAt, columnsOf(rows, numbers));
  let [at, expiryMs] = [stragglersAt, Number.MAX_SAFE_INTEGER];
  for (let i = 0; i < count; i++) {
    const number = numbers[i] as number;
    const ownMs = expiryMsOf(rows, number);
    expiryMs = Math.min(expiryMs, ownMs);
    view.setUint32(at, i, true);
    setUint53(view, at + 4, ownMs);
    view.setBigUint64(at + 12, FEE_CAP, true);
    const from = ED25519_SIGNATURE_BYTES * number;
    bytes.set(rows.signatures.subarray(from, from + ED25519_SIGNATURE_BYTES), at + 20);
    at += STRAGGLER_BYTES;
  }
  bytes[0] = CLIENT_MESSAGES.rows.kind;
  view.setUint32(1, messageNumber, true);
  setUint53(view, 5, expiryMs);
  view.setBigUint64(13, FEE_CAP, true);
  view.setUint32(21, count, true);
  view.setUint32(25, FIXED_BYTES, true);
  view.setUint32(29, stragglersAt - 1, true);
  return bytes.subarray(0, at);
}

function columnsOf(rows: RunRows, numbers: ArrayLike<number>): RowColumns {
  const columns = createColumns(numbers.length);
  const { accounts } = rows;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number;
    columns.senders[i] = accounts[number % accounts.length]?.index ?? 0;
    columns.recipients[i] = accounts[payeeOf(rows, number)]?.index ?? 0;
    columns.amounts[2 * i] = amountOf(number);
    columns.sequences[i] = sequenceOf(rows, number);
  }
  return columns;
}

function setUint53(view: DataView, at: number, value: number): void {
  view.setUint32(at, value >>> 0, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
