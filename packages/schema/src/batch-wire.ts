/**
 * Transactions of a batch as bytes (POST /v1/transactions/batch).
 *
 *   batch   01 | (length u32, little-endian | SSZ bytes)*
 */
import { fail, ok, type Result } from '@slipstream/primitives';
import { TRANSACTION_BYTES_MAX } from '@slipstream/types';

const VERSION = 0x01;
const LENGTH_BYTES = 4;

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

export function encodeBatch(transactions: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(transactions.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 1));
  const view = viewOf(bytes);
  bytes[0] = VERSION;
  let at = 1;
  for (const transaction of transactions) {
    view.setUint32(at, transaction.length, true);
    bytes.set(transaction, at + LENGTH_BYTES);
    at += LENGTH_BYTES + transaction.length;
  }
  return bytes;
}

/**
 * Reads at most `transactionsMax`, because four bytes make an empty transaction. The transactions share the batch's memory. Fails
 * with a description of the fault.
 */
export function decodeBatch(bytes: Uint8Array, transactionsMax: number): Result<readonly Uint8Array[], string> {
  if (bytes[0] !== VERSION) return fail('does not begin with 01');
  const view = viewOf(bytes);
  const transactions: Uint8Array[] = [];
  for (let at = 1; at < bytes.length; ) {
    if (transactions.length === transactionsMax) return fail(`holds more than ${transactionsMax} transactions`);
    if (at + LENGTH_BYTES > bytes.length) return fail(`a length at ${at} is cut short`);
    const length = view.getUint32(at, true);
    if (length > TRANSACTION_BYTES_MAX) return fail(`${length} bytes at ${at} are more than a transaction may have`);
    const end = at + LENGTH_BYTES + length;
    if (end > bytes.length) return fail(`a transaction at ${at} is cut short`);
    transactions.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return ok(transactions);
}
