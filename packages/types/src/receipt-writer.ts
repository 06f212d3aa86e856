/**
 * Writes a block's receipts into one buffer, equal to the codec's bytes, since an array per receipt is slow.
 *
 *   transaction id 32 | code 1 | action 1 | 4 | fee 8 | units 5 x 8 | height 8 | index 4 | output
 */
import { assert } from '@slipstream/primitives';
import { FAILURE_CODES, type Receipt } from './receipt.ts';

const CODE = 32;
const ACTION = 33;
const OUTPUT_AT = 34;
const FEE = 38;
const UNITS = 46;
const HEIGHT = 86;
const INDEX = 94;
/** The rest of a serialized receipt is its output. */
export const RECEIPT_FIXED_BYTES = 98;

/** Views of one buffer. */
export function encodeReceipts(receipts: readonly Receipt[]): readonly Uint8Array[] {
  const total = receipts.reduce((sum, { output }) => sum + RECEIPT_FIXED_BYTES + output.length, 0);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return receipts.map((receipt) => {
    const from = at;
    at += RECEIPT_FIXED_BYTES + receipt.output.length;
    write(receipt, bytes, view, from);
    return bytes.subarray(from, at);
  });
}

function write(receipt: Receipt, bytes: Uint8Array, view: DataView, at: number): void {
  const { transactionId, outcome, output, fee, units, height, index } = receipt;
  assert(transactionId.length === CODE, 'a transaction id fills its place');
  bytes.set(transactionId, at);
  if (outcome.status === 'failed') {
    bytes[at + CODE] = FAILURE_CODES[outcome.code];
    bytes[at + ACTION] = outcome.action;
  }
  view.setUint32(at + OUTPUT_AT, RECEIPT_FIXED_BYTES, true);
  view.setBigUint64(at + FEE, fee, true);
  for (let i = 0; i < units.length; i++) writeUint53(view, at + UNITS + 8 * i, units[i] as number);
  writeUint53(view, at + HEIGHT, height);
  view.setUint32(at + INDEX, index, true);
  bytes.set(output, at + RECEIPT_FIXED_BYTES);
}

function writeUint53(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
}
