/**
 * Row tree: a Merkle tree with 16 rows a leaf, so that a row's hash costs little and a client sees its neighbours. The header has root
 * and number of rows, which fix the shape. Runs in browsers.
 */
import { assert } from '@slipstream/primitives';
import { createMerkleTree, merklePath, merkleRoot, verifyMerklePath } from '@slipstream/types';
import type { BatchHeader } from './header.ts';
import { ROW_BYTES, type RowColumns, rowBytesOf } from './rows.ts';

export const ROWS_PER_LEAF = 16;
const LEAF_BYTES = ROWS_PER_LEAF * ROW_BYTES;

/** A leaf of the row tree and its way to the root. */
export interface ProvenRows {
  /** Of the leaf's first row, a multiple of ROWS_PER_LEAF. */
  readonly first: number;
  /** Serialized rows. */
  readonly rows: Uint8Array;
  readonly path: readonly Uint8Array[];
}

export function rowsRootOf(rows: RowColumns): Uint8Array {
  return merkleRoot(leavesOf(rows));
}

/** The leaf that has the row. */
export function proveRows(rows: RowColumns, position: number): ProvenRows {
  assert(position >= 0 && position < rows.count, 'a proven row is in the batch');
  const leaves = leavesOf(rows);
  const leaf = Math.floor(position / ROWS_PER_LEAF);
  return { first: leaf * ROWS_PER_LEAF, rows: leaves[leaf] as Uint8Array, path: merklePath(leaves, leaf) };
}

export interface RowTree {
  readonly root: Uint8Array;
  /** The leaf of this number. */
  prove(leaf: number): ProvenRows;
}

/** For many clients of one batch. */
export function createRowTree(rows: RowColumns): RowTree {
  const leaves = leavesOf(rows);
  const { root, path } = createMerkleTree(leaves);
  return {
    root,
    prove: (leaf) => ({ first: leaf * ROWS_PER_LEAF, rows: leaves[leaf] as Uint8Array, path: path(leaf) }),
  };
}

export function areRowsOf(header: Pick<BatchHeader, 'rows' | 'root'>, { first, rows, path }: ProvenRows): boolean {
  if (!Number.isSafeInteger(first) || first < 0 || first % ROWS_PER_LEAF !== 0 || first >= header.rows) return false;
  if (rows.length !== ROW_BYTES * Math.min(ROWS_PER_LEAF, header.rows - first)) return false;
  const leaves = Math.ceil(header.rows / ROWS_PER_LEAF);
  return verifyMerklePath(rows, first / ROWS_PER_LEAF, leaves, path, header.root);
}

/** Views of one buffer. */
function leavesOf(rows: RowColumns): readonly Uint8Array[] {
  const bytes = rowBytesOf(rows);
  const leaves: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += LEAF_BYTES) leaves.push(bytes.subarray(at, at + LEAF_BYTES));
  return leaves;
}
