/**
 * Rows of a run, by number: each account pays another one, in turns, so that no sender has many in flight. What a number does not give by
 * arithmetic is in columns, as an object a row would cost the generator more than the row costs a node.
 *
 *   number --> account, sequence, recipient, amount, due, expiry        account, sequence --> number
 */
import type { Row } from '@slipstream/distilled';
import type { Registered } from './registered.ts';

export const ROW_ENDS = ['none', 'success', 'failed', 'row-refused', 'row-skipped'] as const;
export type RowEnd = (typeof ROW_ENDS)[number];
const END_CODES = Object.fromEntries(ROW_ENDS.map((end, code) => [end, code])) as Readonly<Record<RowEnd, number>>;

export interface RunPlan {
  readonly rowsPerSecond: number;
  readonly seconds: number;
  readonly startMs: number;
}

export interface RunRows extends RunPlan {
  readonly count: number;
  readonly accounts: readonly Registered[];
  /** Of each account, its first in this run. */
  readonly firstSequences: Uint32Array;
  /** 64 bytes each. */
  readonly signatures: Uint8Array;
  /** Codes of ROW_ENDS. */
  readonly ends: Uint8Array;
  readonly endsMs: Float64Array;
  /** Of `batchIds`. */
  readonly batches: Uint32Array;
  readonly positions: Uint16Array;
  readonly batchIds: Uint8Array[];
  /** Why a row did not run so far, by number. */
  readonly reasons: Map<number, string>;
}

export const FEE_CAP = 10n ** 9n;
/** Blocks skip a straggler above 60 s. */
const LIFE_MS = 50_000;
const EXPIRY_STEP_MS = 250;
const AMOUNTS = 5;

/** `sequences`: next of each account; raised. `signatures`: of stragglers. */
export function createRunRows(
  accounts: readonly Registered[],
  sequences: Uint32Array,
  plan: RunPlan,
  signatures: Uint8Array,
): RunRows {
  const count = plan.rowsPerSecond * plan.seconds;
  const firstSequences = sequences.slice();
  for (const [place, sequence] of sequences.entries()) {
    sequences[place] = sequence + Math.ceil(Math.max(0, count - place) / accounts.length);
  }
  return {
    ...plan,
    count,
    accounts,
    firstSequences,
    signatures,
    ends: new Uint8Array(count),
    endsMs: new Float64Array(count),
    batches: new Uint32Array(count),
    positions: new Uint16Array(count),
    batchIds: [],
    reasons: new Map(),
  };
}

export const accountOf = ({ accounts }: Pick<RunRows, 'accounts'>, number: number): number => number % accounts.length;

export function sequenceOf({ accounts, firstSequences }: RunRows, number: number): number {
  return (firstSequences[number % accounts.length] as number) + Math.floor(number / accounts.length);
}

/** Place of the payee among the accounts. */
export function payeeOf({ accounts }: Pick<RunRows, 'accounts'>, number: number): number {
  return ((number % accounts.length) * 7 + number + 1) % accounts.length;
}

export const amountOf = (number: number): number => 1 + (number % AMOUNTS);

/** From the start of the run. */
export const dueMsOf = ({ rowsPerSecond }: RunPlan, number: number): number => (number * 1_000) / rowsPerSecond;

export function expiryMsOf(rows: RunPlan, number: number): number {
  const endMs = Math.floor(rows.startMs + dueMsOf(rows, number) + LIFE_MS);
  return endMs - (endMs % EXPIRY_STEP_MS);
}

export function rowOf(rows: RunRows, number: number): Row {
  const { accounts } = rows;
  return {
    sender: (accounts[accountOf(rows, number)] as Registered).index,
    recipient: (accounts[payeeOf(rows, number)] as Registered).index,
    amount: BigInt(amountOf(number)),
    sequence: sequenceOf(rows, number),
    tag: 0,
  };
}

/** Undefined: no row of this run, or one that ended. */
export function pendingNumber(rows: RunRows, account: number, sequence: number): number | undefined {
  const turn = sequence - (rows.firstSequences[account] as number);
  const number = account + turn * rows.accounts.length;
  return turn >= 0 && number < rows.count && rows.ends[number] === 0 ? number : undefined;
}

export function endRow(rows: RunRows, number: number, end: RowEnd): void {
  rows.ends[number] = END_CODES[end];
  rows.endsMs[number] = Date.now();
}

export const endOf = ({ ends }: RunRows, number: number): RowEnd => ROW_ENDS[ends[number] as number] as RowEnd;

/** Numbers of those that ended as success, ascending. */
export function successes({ ends }: RunRows): Uint32Array {
  const found = new Uint32Array(ends.length);
  let count = 0;
  for (let number = 0; number < ends.length; number++) if (ends[number] === END_CODES.success) found[count++] = number;
  return found.slice(0, count);
}
