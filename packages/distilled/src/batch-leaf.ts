/**
 * Leaf of an executed batch in its block's tree of batches: what was signed, what rows paid, where their receipts begin, and their outcomes.
 *
 * The block's batches form a Merkle tree; its root and their number are in the digest preimage.
 */
import { ContainerType, createCodec, UintBigintType } from '@slipstream/primitives';
import { bytes32, merklePath, merkleRoot, uint32, verifyMerklePath } from '@slipstream/types';
import { type BatchHeader, batchHeaderFromWire, batchHeaderToWire, batchHeaderType } from './header.ts';

export interface BatchLeaf {
  readonly header: BatchHeader;
  readonly rowFee: bigint;
  /** Zero if no straggler was charged. */
  readonly stragglerFee: bigint;
  /** Of the first row, among the rows of the block. */
  readonly firstIndex: number;
  readonly outcomesRoot: Uint8Array;
}

interface BatchLeafWire extends Omit<BatchLeaf, 'header'> {
  readonly header: ReturnType<typeof batchHeaderToWire>;
}

const uint64 = new UintBigintType(8);

export const batchLeafType = new ContainerType({
  header: batchHeaderType,
  rowFee: uint64,
  stragglerFee: uint64,
  firstIndex: uint32,
  outcomesRoot: bytes32,
});

/** Of the serialized leaf, which has no parts of other lengths. */
export const BATCH_LEAF_BYTES = batchLeafType.maxSize;

export function batchLeafToWire(leaf: BatchLeaf): BatchLeafWire {
  return { ...leaf, header: batchHeaderToWire(leaf.header) };
}

/** Throws RangeError for a header that does not decode. */
export function batchLeafFromWire(wire: BatchLeafWire): BatchLeaf {
  return { ...wire, header: batchHeaderFromWire(wire.header) };
}

export const batchLeafCodec = createCodec<BatchLeaf, BatchLeafWire>('batch leaf', batchLeafType, BATCH_LEAF_BYTES, {
  toWire: batchLeafToWire,
  fromWire: batchLeafFromWire,
});

export interface ProvenLeaf {
  readonly leaf: BatchLeaf;
  /** Of the batch in its block. */
  readonly index: number;
  readonly path: readonly Uint8Array[];
}

export function batchesRootOf(leaves: readonly BatchLeaf[]): Uint8Array {
  return merkleRoot(leaves.map(batchLeafCodec.encode));
}

export function proveLeaf(leaves: readonly BatchLeaf[], index: number): ProvenLeaf {
  return { leaf: leaves[index] as BatchLeaf, index, path: merklePath(leaves.map(batchLeafCodec.encode), index) };
}

/** `batches`: how many the block has. */
export function isLeafOf(root: Uint8Array, batches: number, { leaf, index, path }: ProvenLeaf): boolean {
  return verifyMerklePath(batchLeafCodec.encode(leaf), index, batches, path, root);
}
