/** The obvious executor: maps, bigints, one row after another, a copy of the state for each block. The other side of a comparison. */
import { FAILURE_CODES, SKIP_REASONS } from '@slipstream/types';
import type { Batch, RowFees } from '../src/index.ts';
import { rowAt } from '../src/index.ts';

export interface PlainAccount {
  readonly balance: bigint;
  readonly last: number;
  /** Sequences that ran, of all time. */
  readonly used: ReadonlySet<number>;
  readonly retired: boolean;
}

export type PlainState = ReadonlyMap<number, PlainAccount>;

export interface PlainResult {
  readonly state: PlainState;
  readonly outcomes: readonly number[];
  readonly earned: bigint;
  readonly burned: bigint;
}

export function runPlainly(before: PlainState, batch: Batch, fees: RowFees, timestampMs: number): PlainResult {
  const state = new Map(before);
  const outcomes: number[] = [];
  let [earned, burned] = [0n, 0n];
  for (let position = 0; position < batch.rows.count; position++) {
    const row = rowAt(batch.rows, position);
    const straggler = batch.stragglers.find((each) => each.position === position);
    const fee = straggler === undefined ? fees.row : fees.straggler;
    const sender = state.get(row.sender) as PlainAccount;
    const skip =
      lateness(straggler, fee, timestampMs) ??
      (sender.retired ? 'index-retired' : undefined) ??
      (isNew(row.sequence, sender) ? undefined : 'sequence-used') ??
      (sender.balance < fee ? 'fee-not-covered' : undefined);
    if (skip !== undefined) {
      outcomes.push(128 + SKIP_REASONS[skip]);
      continue;
    }
    earned += fees.row;
    burned += fee - fees.row;
    const used = new Set([...sender.used, row.sequence]);
    const last = Math.max(sender.last, row.sequence);
    const payer = { ...sender, used, last, balance: sender.balance - fee };
    state.set(row.sender, payer);
    if (payer.balance < row.amount) {
      outcomes.push(FAILURE_CODES['insufficient-balance']);
      continue;
    }
    if (row.recipient === row.sender) {
      outcomes.push(0);
      continue;
    }
    const payee = state.get(row.recipient) as PlainAccount;
    if (payee.balance + row.amount >= 2n ** 64n) {
      outcomes.push(FAILURE_CODES['balance-overflow']);
      continue;
    }
    state.set(row.sender, { ...payer, balance: payer.balance - row.amount });
    state.set(row.recipient, { ...payee, balance: payee.balance + row.amount });
    outcomes.push(0);
  }
  return { state, outcomes, earned, burned };
}

function lateness(straggler: Batch['stragglers'][number] | undefined, fee: bigint, timestampMs: number) {
  if (straggler === undefined) return undefined;
  if (straggler.expiryMs <= timestampMs) return 'expired';
  if (straggler.expiryMs > timestampMs + 60_000) return 'expiry-too-far';
  return fee > straggler.feeCap ? 'max-fee-too-low' : undefined;
}

export function isNew(sequence: number, { last, used }: Pick<PlainAccount, 'last' | 'used'>): boolean {
  if (sequence === 0 || used.has(sequence)) return false;
  return sequence > last ? sequence <= last + 2 ** 20 : sequence >= last - 64;
}
