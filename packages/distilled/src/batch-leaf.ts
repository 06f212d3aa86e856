/**
 * Leaf of an executed batch in its block's tree of batches: what was signed, what rows paid, where their receipts begin, and their outcomes.
 *
 *   distilledRoot = SHA-256(domain || number of leaves u32 || RFC 6962 over the leaves)
 */
import {
  bytesEqual,
  ContainerType,
  createCodec,
  domainPrefix,
  hashInDomain,
  UintBigintType,
  uint32le,
} from '@slipstream/primitives';
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

export function batchLeafToWire(leaf: BatchLeaf): BatchLeafWire {
  return { ...leaf, header: batchHeaderToWire(leaf.header) };
}

/** Throws RangeError for a header that does not decode. */
export function batchLeafFromWire(wire: BatchLeafWire): BatchLeaf {
  return { ...wire, header: batchHeaderFromWire(wire.header) };
}

export const batchLeafCodec = createCodec<BatchLeaf, BatchLeafWire>(
  'batch leaf',
  batchLeafType,
  batchLeafType.maxSize,
  {
    toWire: batchLeafToWire,
    fromWire: batchLeafFromWire,
  },
);

const BATCHES_DOMAIN = domainPrefix('slipstream/batches');

export interface ProvenLeaf {
  readonly leaf: BatchLeaf;
  /** Of the batch in its block. */
  readonly index: number;
  readonly count: number;
  readonly path: readonly Uint8Array[];
  /** RFC 6962 over all leaves. */
  readonly tree: Uint8Array;
}

export function distilledRootOf(leaves: readonly BatchLeaf[]): Uint8Array {
  return rootOver(leaves.length, merkleRoot(leaves.map(batchLeafCodec.encode)));
}

export function proveLeaf(leaves: readonly BatchLeaf[], index: number): ProvenLeaf {
  const encoded = leaves.map(batchLeafCodec.encode);
  const path = merklePath(encoded, index);
  return { leaf: leaves[index] as BatchLeaf, index, count: leaves.length, path, tree: merkleRoot(encoded) };
}

export function isLeafOf(root: Uint8Array, { leaf, index, count, path, tree }: ProvenLeaf): boolean {
  return (
    verifyMerklePath(batchLeafCodec.encode(leaf), index, count, path, tree) && bytesEqual(rootOver(count, tree), root)
  );
}

/** The tree alone does not commit to its number of leaves. */
function rootOver(count: number, tree: Uint8Array): Uint8Array {
  return hashInDomain(BATCHES_DOMAIN, uint32le(count), tree);
}
