/**
 * Executor of a batch's rows, in order, on columns. Balances and fees are pairs of 32-bit words: no bigint and no object per row.
 *
 *   retired? sequence used? straggler late or too dear? fee not covered?   skipped: no effect
 *   sequence used, fee charged                                             also when the transfer fails
 *   amount covered, recipient within 64 bits?                              moved
 */
import { assert } from '@slipstream/primitives';
import type { Accounts } from './accounts.ts';
import type { Batch } from './batch.ts';
import { failureByte, OUTCOME_SUCCESS, type RowSkip, SKIPPED_MIN, skipByte } from './outcomes.ts';
import type { RowFees } from './row-fees.ts';
import { isFresh, markUsed } from './sequences.ts';
import { expiryFault } from './skip.ts';

export interface ExecutedBatch {
  /** One byte a row (outcomes.ts). */
  readonly outcomes: Uint8Array;
  /** Rows that were charged. */
  readonly charged: number;
  /** Of them, those with a straggler signature. */
  readonly chargedStragglers: number;
  /** For the chunk's producer: a row's fee for each. */
  readonly earned: bigint;
  /** What stragglers pay above a row's fee. */
  readonly burned: bigint;
}

interface BatchTerms {
  /** At the block's prices; the row's is at most the batch's feeCap (skip.ts). */
  readonly fees: RowFees;
  readonly timestampMs: number;
}

const WORD = 2 ** 32;
const WORD_MAX = WORD - 1;
const RETIRED = skipByte('index-retired');
const SEQUENCE_USED = skipByte('sequence-used');
const FEE_NOT_COVERED = skipByte('fee-not-covered');
const INSUFFICIENT = failureByte('insufficient-balance');
const OVERFLOW = failureByte('balance-overflow');

/** Of a batch that is not skipped. Senders and recipients are places in `accounts`. */
export function executeBatch(
  accounts: Accounts,
  { rows, stragglers }: Pick<Batch, 'rows' | 'stragglers'>,
  terms: BatchTerms,
): ExecutedBatch {
  const { row: rowFee, straggler: stragglerFee } = terms.fees;
  assert(rowFee <= stragglerFee && rowFee < 2n ** 64n, 'a straggler pays no less than a row, and a row 64 bits');
  const outcomes = new Uint8Array(rows.count);
  const ordinary = runnerAt(accounts, rows, rowFee);
  // Above 64 bits no straggler's feeCap covers it.
  const late = runnerAt(accounts, rows, stragglerFee < 2n ** 64n ? stragglerFee : 0n);
  let [charged, chargedStragglers, next] = [0, 0, 0];
  for (let i = 0; i < rows.count; i++) {
    const straggler = stragglers[next];
    if (straggler?.position !== i) {
      const outcome = ordinary(i);
      outcomes[i] = outcome;
      if (outcome < SKIPPED_MIN) charged++;
      continue;
    }
    next++;
    const reason = stragglerSkip(straggler, stragglerFee, terms.timestampMs);
    const outcome = reason === undefined ? late(i) : skipByte(reason);
    outcomes[i] = outcome;
    if (outcome >= SKIPPED_MIN) continue;
    charged++;
    chargedStragglers++;
  }
  const burned = BigInt(chargedStragglers) * (stragglerFee - rowFee);
  return { outcomes, charged, chargedStragglers, earned: BigInt(charged) * rowFee, burned };
}

function stragglerSkip(
  { expiryMs, feeCap }: { readonly expiryMs: number; readonly feeCap: bigint },
  fee: bigint,
  timestampMs: number,
): RowSkip | undefined {
  return expiryFault(expiryMs, timestampMs) ?? (fee > feeCap ? 'max-fee-too-low' : undefined);
}

/** Runs the row at a position for a fee, and returns its outcome. */
function runnerAt(accounts: Accounts, rows: Batch['rows'], fee: bigint): (position: number) => number {
  const { senders, recipients, amounts, sequences } = rows;
  const { balances, last, masks, retired } = accounts.columns;
  const feeLow = Number(fee & 0xffff_ffffn);
  const feeHigh = Number(fee >> 32n);

  return (i) => {
    const sender = senders[i] as number;
    if (retired[sender] === 1) return RETIRED;
    const sequence = sequences[i] as number;
    const newest = last[sender] as number;
    const at = 2 * sender;
    if (!isFresh(sequence, newest, masks, at)) return SEQUENCE_USED;
    let low = (balances[at] as number) - feeLow;
    let high = (balances[at + 1] as number) - feeHigh;
    if (low < 0) {
      low += WORD;
      high--;
    }
    if (high < 0) return FEE_NOT_COVERED;

    accounts.touch(sender);
    last[sender] = markUsed(sequence, newest, masks, at);
    balances[at] = low;
    balances[at + 1] = high;
    low -= amounts[2 * i] as number;
    high -= amounts[2 * i + 1] as number;
    if (low < 0) {
      low += WORD;
      high--;
    }
    if (high < 0) return INSUFFICIENT;
    const recipient = recipients[i] as number;
    if (recipient === sender) return OUTCOME_SUCCESS;

    const to = 2 * recipient;
    let toLow = (balances[to] as number) + (amounts[2 * i] as number);
    let toHigh = (balances[to + 1] as number) + (amounts[2 * i + 1] as number);
    if (toLow > WORD_MAX) {
      toLow -= WORD;
      toHigh++;
    }
    if (toHigh > WORD_MAX) return OVERFLOW;
    accounts.touch(recipient);
    balances[at] = low;
    balances[at + 1] = high;
    balances[to] = toLow;
    balances[to + 1] = toHigh;
    return OUTCOME_SUCCESS;
  };
}
