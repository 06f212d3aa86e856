import type { LedgerReader, LedgerTransaction } from '@slipstream/ledger';
import { to0x } from '@slipstream/primitives';
import type { TransactionSummary } from '@slipstream/schema';
import { accountKeyText, type Block, type Receipt } from '@slipstream/types';
import type { TransactionOf } from './committed-transactions.ts';

interface SummaryComponents {
  readonly ledger: LedgerReader;
  readonly transactionOf: TransactionOf;
}

export async function summaryOf(
  { ledger, transactionOf }: SummaryComponents,
  { receipt, height }: LedgerTransaction,
): Promise<TransactionSummary> {
  const found = await ledger.block({ height });
  return summaryIn(transactionOf, receipt, found?.block);
}

/** `block`: the one that holds the receipt, where known. */
export async function summaryIn(
  transactionOf: TransactionOf,
  receipt: Receipt,
  block: Block | undefined,
): Promise<TransactionSummary> {
  const transaction = block && (await transactionOf(block, receipt.transactionId));
  return {
    id: to0x(receipt.transactionId),
    height: receipt.height,
    index: receipt.index,
    timestampMs: block?.timestampMs ?? 0,
    status: receipt.outcome.status === 'success' ? 'final' : 'failed',
    ...(transaction ? { sender: accountKeyText(transaction.body.sender) } : {}),
    kinds: transaction ? transaction.body.actions.map(({ kind }) => kind) : [],
    fee: receipt.fee.toString(),
  };
}
