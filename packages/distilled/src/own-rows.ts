/**
 * What a client checks before it signs a batch: its rows are there, exactly, and no other row is its own.
 *
 *   ... row of another | own row | own row | row of another ...
 *
 * Rows of a valid batch ascend by sender, so a signer's rows are neighbours, and the two rows around them show that there are no more. The
 * batch may be of any broker: it is not trusted. Runs in browsers.
 */
import { bytesEqual, fail, ok, type Result } from '@slipstream/primitives';
import type { BatchHeader } from './header.ts';
import { areRowsOf, type ProvenRows } from './row-tree.ts';
import { ROW_BYTES, type Row, rowFromBytes, rowToBytes } from './rows.ts';

export interface OwnRows {
  readonly header: BatchHeader;
  /** All of one sender, as the client made them, ascending by sequence. */
  readonly own: readonly Row[];
  /** Position of the first. */
  readonly first: number;
  /** Leaves that have the own rows and their neighbours, ascending, without gaps. */
  readonly leaves: readonly ProvenRows[];
}

interface OwnLimits {
  readonly expiryMs: number;
  readonly feeCap: bigint;
}

type OwnRowsFault =
  | 'no-rows'
  | 'path' // a leaf is not in the tree
  | 'gap' // the first position is no index, or the own rows or a neighbour are in no leaf
  | 'other-row' // a row differs from the client's
  | 'forged-row' // a neighbour has the same sender
  | 'expiry' // later than the client allows
  | 'fee-cap'; // higher than the client allows

/** A client signs only after `ok`. */
export function checkOwnRows({ header, own, first, leaves }: OwnRows, limits: OwnLimits): Result<void, OwnRowsFault> {
  const sender = own[0]?.sender;
  if (sender === undefined || own.some((row) => row.sender !== sender)) return fail('no-rows');
  if (header.expiryMs > limits.expiryMs) return fail('expiry');
  if (header.feeCap > limits.feeCap) return fail('fee-cap');
  if (!leaves.every((leaf) => areRowsOf(header, leaf))) return fail('path');
  // Between two positions, the end of one row and the start of the next would pass as an own row.
  if (!Number.isSafeInteger(first) || first < 0) return fail('gap');

  const after = first + own.length;
  for (const [i, row] of own.entries()) {
    const there = rowIn(leaves, first + i);
    if (there === undefined) return fail('gap');
    if (!bytesEqual(there, rowToBytes(row))) return fail('other-row');
  }
  const neighbours = [first > 0 ? first - 1 : undefined, after < header.rows ? after : undefined];
  for (const position of neighbours) {
    if (position === undefined) continue;
    const there = rowIn(leaves, position);
    if (there === undefined) return fail('gap');
    if (rowFromBytes(there).sender === sender) return fail('forged-row');
  }
  return ok(undefined);
}

/** Undefined: in none of the leaves. */
function rowIn(leaves: readonly ProvenRows[], position: number): Uint8Array | undefined {
  const leaf = leaves.find(({ first, rows }) => position >= first && position < first + rows.length / ROW_BYTES);
  if (leaf === undefined) return undefined;
  const at = ROW_BYTES * (position - leaf.first);
  return leaf.rows.subarray(at, at + ROW_BYTES);
}
