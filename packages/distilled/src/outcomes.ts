/**
 * Outcomes of rows, a byte each: 0, a failure code, or 128 + a skip reason. Stored in runs; proven by a Merkle tree with 64 a leaf.
 */
import { assert, fail, ok, type Result } from '@slipstream/primitives';
import { FAILURE_CODES, merklePath, merkleRoot, SKIP_REASONS, verifyMerklePath } from '@slipstream/types';
import { BATCH_ROWS_MAX } from './rows.ts';
import { cursorAt, readVarint32, writeVarint32 } from './varints.ts';

/** Bytes of skipped rows are not below it. */
export const SKIPPED_MIN = 128;

/** A row fails: its fee is charged and its sequence used. */
export const ROW_FAILURES = ['insufficient-balance', 'balance-overflow'] as const;
type RowFailure = (typeof ROW_FAILURES)[number];

/** Without effect. The last three are of rows with a straggler signature. */
export const ROW_SKIPS = [
  ...(['index-retired', 'sequence-used', 'fee-not-covered'] as const),
  ...(['expired', 'expiry-too-far', 'max-fee-too-low'] as const),
] as const;
export type RowSkip = (typeof ROW_SKIPS)[number];

export type RowOutcome =
  | { readonly status: 'success' }
  | { readonly status: 'failed'; readonly code: RowFailure }
  | { readonly status: 'skipped'; readonly reason: RowSkip };

export const OUTCOME_SUCCESS = 0;

export function failureByte(code: RowFailure): number {
  return FAILURE_CODES[code];
}

export function skipByte(reason: RowSkip): number {
  return SKIPPED_MIN + SKIP_REASONS[reason];
}

const OUTCOMES = new Map<number, RowOutcome>([
  [OUTCOME_SUCCESS, { status: 'success' }],
  ...ROW_FAILURES.map((code) => [failureByte(code), { status: 'failed', code }] as const),
  ...ROW_SKIPS.map((reason) => [skipByte(reason), { status: 'skipped', reason }] as const),
]);

/** Undefined: no outcome of a row. */
export function outcomeOf(byte: number): RowOutcome | undefined {
  return OUTCOMES.get(byte);
}

/** A run: outcome, then its length as shortest varint. Neighbours differ, so a list has one form. */
export function encodeOutcomes(outcomes: Uint8Array): Uint8Array {
  let bytes = new Uint8Array(16);
  let at = 0;
  for (let from = 0; from < outcomes.length; ) {
    let to = from + 1;
    while (to < outcomes.length && outcomes[to] === outcomes[from]) to++;
    if (at + RUN_BYTES_MAX > bytes.length) {
      const longer = new Uint8Array(2 * bytes.length);
      longer.set(bytes);
      bytes = longer;
    }
    bytes[at] = outcomes[from] as number;
    at = writeVarint32(bytes, at + 1, to - from);
    from = to;
  }
  return bytes.slice(0, at);
}

const RUN_BYTES_MAX = 6;

type OutcomesFault =
  | 'unknown-outcome'
  | 'bad-length' // of a run: zero, or no shortest varint
  | 'not-joined' // two neighbours have one outcome
  | 'wrong-count';

/** Of a batch of `rows`. */
export function decodeOutcomes(bytes: Uint8Array, rows: number): Result<Uint8Array, OutcomesFault> {
  assert(rows <= BATCH_ROWS_MAX, 'outcomes are of a batch');
  const outcomes = new Uint8Array(rows);
  const cursor = cursorAt(bytes, 0);
  let to = 0;
  let before: number | undefined;
  while (cursor.at < bytes.length) {
    const outcome = bytes[cursor.at++] as number;
    if (!OUTCOMES.has(outcome)) return fail('unknown-outcome');
    if (outcome === before) return fail('not-joined');
    before = outcome;
    const length = readVarint32(cursor);
    if (cursor.fault !== undefined || length === 0) return fail('bad-length');
    if (to + length > rows) return fail('wrong-count');
    outcomes.fill(outcome, to, to + length);
    to += length;
  }
  return to === rows ? ok(outcomes) : fail('wrong-count');
}

export const OUTCOMES_PER_LEAF = 64;

export interface ProvenOutcomes {
  readonly outcomes: Uint8Array;
  readonly path: readonly Uint8Array[];
}

export function outcomesRootOf(outcomes: Uint8Array): Uint8Array {
  return merkleRoot(leavesOf(outcomes));
}

/** The leaf that has the outcome of the row at `position`. */
export function proveOutcomes(outcomes: Uint8Array, position: number): ProvenOutcomes {
  const leaves = leavesOf(outcomes);
  const leaf = Math.floor(position / OUTCOMES_PER_LEAF);
  return { outcomes: leaves[leaf] as Uint8Array, path: merklePath(leaves, leaf) };
}

/** The outcome of the row at `position` of `rows`; undefined unless the root has it. */
export function provenOutcome(
  { outcomes, path }: ProvenOutcomes,
  position: number,
  rows: number,
  root: Uint8Array,
): RowOutcome | undefined {
  const leaf = Math.floor(position / OUTCOMES_PER_LEAF);
  if (position >= rows || outcomes.length !== Math.min(OUTCOMES_PER_LEAF, rows - leaf * OUTCOMES_PER_LEAF)) {
    return undefined;
  }
  if (!verifyMerklePath(outcomes, leaf, Math.ceil(rows / OUTCOMES_PER_LEAF), path, root)) return undefined;
  return outcomeOf(outcomes[position % OUTCOMES_PER_LEAF] as number);
}

function leavesOf(outcomes: Uint8Array): readonly Uint8Array[] {
  const leaves: Uint8Array[] = [];
  for (let at = 0; at < outcomes.length; at += OUTCOMES_PER_LEAF) {
    leaves.push(outcomes.subarray(at, at + OUTCOMES_PER_LEAF));
  }
  return leaves;
}
