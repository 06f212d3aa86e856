import { EXIT_FAILED, type ExitCode } from '@slipstream/command-line';
import type { TransactionView } from '@slipstream/schema';
import { adviceOn } from './failure-advice.ts';

type Receipt = NonNullable<TransactionView['receipt']>;

export function transactionText({ id, status, height, reason, expiryMs, receipt, proof }: TransactionView): string {
  const lines = [`${id}: ${status}${height === undefined ? '' : ` at height ${height}`}`];
  if (reason !== undefined) lines.push(`  reason   ${reason}`);
  if (receipt !== undefined)
    lines.push(`  receipt  ${outcomeText(receipt)}, fee ${receipt.fee}, place ${receipt.index}`);
  const advice = receipt?.outcome.status === 'failed' ? adviceOn(receipt.outcome.code) : undefined;
  if (advice !== undefined) lines.push(`  -> ${advice}`);
  if (proof !== undefined) lines.push('  proof    at hand: --json shows it, "slipstream tx verify-proof" checks it');
  if (receipt === undefined && expiryMs !== undefined) lines.push(`  expires  ${new Date(expiryMs).toISOString()}`);
  return lines.join('\n');
}

function outcomeText({ outcome }: Receipt): string {
  return outcome.status === 'success' ? 'success' : `failed (${outcome.code}, action ${outcome.action})`;
}

export function exitCodeOf({ status }: TransactionView): ExitCode {
  return status === 'failed' || status === 'expired' ? EXIT_FAILED : 0;
}
