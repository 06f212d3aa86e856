/** What other programs made of the same transactions. */
import { bytesEqual, toHex } from '@slipstream/primitives';
import { type Receipt, receiptCodec, type Transaction } from '@slipstream/types';
import type { History } from './history.ts';

export interface ChangedReceipt {
  readonly height: number;
  readonly transaction: Transaction | undefined;
  /** Undefined: the block skipped the transaction. */
  readonly before: Receipt | undefined;
  readonly after: Receipt | undefined;
}

/** Beyond it they are counted alone. */
const LISTED_MAX = 200;

interface Compared {
  readonly transactions: number;
  /** At most 200. */
  readonly changed: readonly ChangedReceipt[];
  readonly changedCount: number;
}

/** Of heights 1 to `upTo`, which both have. */
export async function changedReceipts(before: History, after: History, upTo: number): Promise<Compared> {
  const changed: ChangedReceipt[] = [];
  let [transactions, changedCount] = [0, 0];
  for (let height = 1; height <= upTo; height++) {
    const [old, now] = await Promise.all([before.receipts(height), after.receipts(height)]);
    const found = differing(old, now);
    transactions += now.length;
    changedCount += found.length;
    if (found.length === 0) continue;
    const block = await before.block(height);
    for (const each of found.slice(0, LISTED_MAX - changed.length)) {
      const { transactionId } = (each.before ?? each.after) as Receipt;
      changed.push({ ...each, height, transaction: await before.transactionOf(block, transactionId) });
    }
  }
  return { transactions, changed, changedCount };
}

function differing(old: readonly Receipt[], now: readonly Receipt[]): Pick<ChangedReceipt, 'before' | 'after'>[] {
  const left = new Map(now.map((receipt) => [toHex(receipt.transactionId), receipt]));
  const pairs: Pick<ChangedReceipt, 'before' | 'after'>[] = [];
  for (const before of old) {
    const id = toHex(before.transactionId);
    const after = left.get(id);
    left.delete(id);
    if (after === undefined || !areEqual(before, after)) pairs.push({ before, after });
  }
  return [...pairs, ...[...left.values()].map((after) => ({ before: undefined, after }))];
}

/** But for its place, which others' receipts move. */
function areEqual(before: Receipt, after: Receipt): boolean {
  return bytesEqual(receiptCodec.encode(before), receiptCodec.encode({ ...after, index: before.index }));
}
