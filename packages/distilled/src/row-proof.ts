/**
 * Proof of a row and its outcome, against a block's root of batches. Runs in browsers.
 *
 *   row --16 rows, path--> header.root --batchId--> row id
 *   outcome --64 outcomes, path--> outcomesRoot --leaf, path--> batchesRoot
 *
 * The row's id is the asker's, never the proof's: it names batch and position.
 */
import {
  ByteListType,
  ContainerType,
  createCodec,
  fail,
  ListCompositeType,
  ok,
  type Result,
} from '@slipstream/primitives';
import { bytes32, type GenesisHash, MERKLE_PATH_MAX, uint32 } from '@slipstream/types';
import type { Batch } from './batch.ts';
import {
  type BatchLeaf,
  batchLeafFromWire,
  batchLeafToWire,
  batchLeafType,
  isLeafOf,
  type ProvenLeaf,
  proveLeaf,
} from './batch-leaf.ts';
import { batchIdOf, positionIn } from './header.ts';
import { OUTCOMES_PER_LEAF, type ProvenOutcomes, provenOutcome, proveOutcomes, type RowOutcome } from './outcomes.ts';
import { areRowsOf, proveRows, ROWS_PER_LEAF, type RowTree } from './row-tree.ts';
import { BATCH_ROWS_MAX, ROW_BYTES, type Row, rowFromBytes } from './rows.ts';

export interface RowProof {
  /** Serialized rows of the row's leaf. */
  readonly rows: Uint8Array;
  readonly rowPath: readonly Uint8Array[];
  readonly outcomes: ProvenOutcomes;
  readonly batch: ProvenLeaf;
}

export interface RowProofWire {
  readonly rows: Uint8Array;
  readonly rowPath: readonly Uint8Array[];
  readonly outcomes: Uint8Array;
  readonly outcomePath: readonly Uint8Array[];
  readonly leaf: ReturnType<typeof batchLeafToWire>;
  readonly batch: number;
  readonly batchPath: readonly Uint8Array[];
}

export const rowProofType = new ContainerType({
  rows: new ByteListType(ROWS_PER_LEAF * ROW_BYTES),
  rowPath: new ListCompositeType(bytes32, Math.log2(BATCH_ROWS_MAX / ROWS_PER_LEAF)),
  outcomes: new ByteListType(OUTCOMES_PER_LEAF),
  outcomePath: new ListCompositeType(bytes32, Math.log2(BATCH_ROWS_MAX / OUTCOMES_PER_LEAF)),
  leaf: batchLeafType,
  batch: uint32,
  batchPath: new ListCompositeType(bytes32, MERKLE_PATH_MAX),
});

export function rowProofToWire({ rows, rowPath, outcomes, batch }: RowProof): RowProofWire {
  return {
    rows,
    rowPath,
    outcomes: outcomes.outcomes,
    outcomePath: outcomes.path,
    leaf: batchLeafToWire(batch.leaf),
    batch: batch.index,
    batchPath: batch.path,
  };
}

/** Throws RangeError for a header that does not decode. */
export function rowProofFromWire(wire: RowProofWire): RowProof {
  return {
    rows: wire.rows,
    rowPath: wire.rowPath,
    outcomes: { outcomes: wire.outcomes, path: wire.outcomePath },
    batch: { leaf: batchLeafFromWire(wire.leaf), index: wire.batch, path: wire.batchPath },
  };
}

export const rowProofCodec = createCodec<RowProof, RowProofWire>('row proof', rowProofType, rowProofType.maxSize, {
  toWire: rowProofToWire,
  fromWire: rowProofFromWire,
});

interface ProofSource {
  /** Their tree, where many rows of one batch are proven. */
  readonly rows: Batch['rows'] | RowTree;
  readonly outcomes: Uint8Array;
  /** Of all batches of the block, in order. */
  readonly leaves: readonly BatchLeaf[];
  /** Of the row's batch among them. */
  readonly batch: number;
}

export function makeRowProof({ rows, outcomes, leaves, batch }: ProofSource, position: number): RowProof {
  const proven = 'prove' in rows ? rows.prove(Math.floor(position / ROWS_PER_LEAF)) : proveRows(rows, position);
  return {
    rows: proven.rows,
    rowPath: proven.path,
    outcomes: proveOutcomes(outcomes, position),
    batch: proveLeaf(leaves, batch),
  };
}

export type RowProofFault =
  | 'batch' // not in the block
  | 'id' // the row id is of another batch or beyond its rows
  | 'row' // not in the row tree
  | 'outcome'; // not in the tree of outcomes, or no outcome

export interface ProvenRow {
  readonly row: Row;
  readonly outcome: RowOutcome;
  readonly leaf: BatchLeaf;
  /** Among the rows of the block. */
  readonly index: number;
}

interface RowQuestion {
  readonly genesisHash: GenesisHash;
  readonly rowId: Uint8Array;
  /** Of the block's digest preimage. */
  readonly batchesRoot: Uint8Array;
  readonly batches: number;
}

export function checkRowProof(
  proof: RowProof,
  { genesisHash, rowId, batchesRoot, batches }: RowQuestion,
): Result<ProvenRow, RowProofFault> {
  const { leaf } = proof.batch;
  const { header } = leaf;
  if (!isLeafOf(batchesRoot, batches, proof.batch)) return fail('batch');
  const position = positionIn(batchIdOf(genesisHash, header), rowId);
  if (position === undefined || position >= header.rows) return fail('id');
  const offset = position % ROWS_PER_LEAF;
  if (!areRowsOf(header, { first: position - offset, rows: proof.rows, path: proof.rowPath })) return fail('row');
  const outcome = provenOutcome(proof.outcomes, position, header.rows, leaf.outcomesRoot);
  if (outcome === undefined) return fail('outcome');
  const row = rowFromBytes(proof.rows, ROW_BYTES * offset);
  return ok({ row, outcome, leaf, index: leaf.firstIndex + position });
}
