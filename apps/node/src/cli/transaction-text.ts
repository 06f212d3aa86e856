import { EXIT_FAILED, type ExitCode } from '@slipstream/command-line';
import type { TransactionView } from '@slipstream/schema';
import { adviceOn } from './failure-advice.ts';

type Receipt = NonNullable<TransactionView['receipt']>;
type Row = NonNullable<TransactionView['row']>;

export function transactionText({
  id,
  status,
  height,
  reason,
  expiryMs,
  receipt,
  proof,
  row,
}: TransactionView): string {
  const lines = [`${id}: ${status}${height === undefined ? '' : ` at height ${height}`}`];
  if (reason !== undefined) lines.push(`  reason   ${reason}`);
  if (receipt !== undefined)
    lines.push(`  receipt  ${outcomeText(receipt)}, fee ${receipt.fee}, place ${receipt.index}`);
  const advice = receipt?.outcome.status === 'failed' ? adviceOn(receipt.outcome.code) : undefined;
  if (advice !== undefined) lines.push(`  -> ${advice}`);
  if (proof !== undefined) lines.push('  proof    at hand: --json shows it, "slipstream tx verify-proof" checks it');
  if (row !== undefined) lines.push(...rowLines(row));
  if (receipt === undefined && expiryMs !== undefined) lines.push(`  expires  ${new Date(expiryMs).toISOString()}`);
  return lines.join('\n');
}

function rowLines(row: Row): readonly string[] {
  const { outcome, fee, batchId, position, sender, senderIndex, recipient, recipientIndex, amount, sequence, tag } =
    row;
  const why = outcome.status === 'failed' ? outcome.code : outcome.status === 'skipped' ? outcome.reason : undefined;
  return [
    `  outcome  ${outcome.status}${why === undefined ? '' : ` (${why})`}, ${fee === undefined ? 'fee unknown' : `fee ${fee}`}`,
    `  batch    ${batchId}, position ${position}`,
    `  from     ${sender}, index ${senderIndex}, sequence ${sequence}`,
    `  to       ${recipient}, index ${recipientIndex}, tag ${tag}`,
    `  amount   ${amount}`,
    '  proof    "GET /v1/transactions/ID/proof" answers it, "slipstream tx verify-proof" checks it',
  ];
}

function outcomeText({ outcome }: Receipt): string {
  return outcome.status === 'success' ? 'success' : `failed (${outcome.code}, action ${outcome.action})`;
}

export function exitCodeOf({ status }: TransactionView): ExitCode {
  return status === 'failed' || status === 'expired' || status === 'skipped' ? EXIT_FAILED : 0;
}
