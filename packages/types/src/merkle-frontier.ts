/**
 * Append-only Merkle trees (merkle.ts) without their leaves.
 *
 *   frontier   roots of the complete subtrees that the leaves fall into, largest first: one for each bit of the size
 *   append     the new leaf, joined with the subtrees of its size, as adding 1 carries
 *   path       siblings are complete subtrees, or joined from such ones
 *
 * Node (level, number) is the root over the leaves from number * 2^level on, 2^level of them. It never changes.
 */
import { assert, sha256 } from '@slipstream/primitives';
import { leafHash, nodeHash, splitPoint } from './merkle.ts';

export interface MerkleFrontier {
  readonly size: number;
  readonly hashes: readonly Uint8Array[];
}

interface MerkleNode {
  readonly level: number;
  readonly number: number;
  readonly hash: Uint8Array;
}

export const EMPTY_FRONTIER: MerkleFrontier = { size: 0, hashes: [] };

/** Also the subtrees that the leaf completed, the leaf itself first. */
export function appendLeaf(
  { size, hashes }: MerkleFrontier,
  leaf: Uint8Array,
): { readonly frontier: MerkleFrontier; readonly completed: readonly MerkleNode[] } {
  const rest = [...hashes];
  let hash = leafHash(leaf);
  const completed: MerkleNode[] = [{ level: 0, number: size, hash }];
  for (let level = 1; size % 2 ** level === 2 ** level - 1; level++) {
    hash = nodeHash(rest.pop() as Uint8Array, hash);
    completed.push({ level, number: Math.floor(size / 2 ** level), hash });
  }
  return { frontier: { size: size + 1, hashes: [...rest, hash] }, completed };
}

export function frontierRoot({ hashes }: MerkleFrontier): Uint8Array {
  const [smallest, ...larger] = [...hashes].reverse();
  if (smallest === undefined) return sha256(new Uint8Array(0));
  return larger.reduce((right, left) => nodeHash(left, right), smallest);
}

/** From the leaf up, in a tree of `size` leaves. */
export function pathOfNodes(
  index: number,
  size: number,
  nodeAt: (level: number, number: number) => Uint8Array,
): readonly Uint8Array[] {
  assert(index >= 0 && index < size, 'a Merkle path starts at a leaf that exists');
  const path: Uint8Array[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    if (index < middle) {
      path.push(rangeRoot(middle, to, nodeAt));
      to = middle;
    } else {
      path.push(rangeRoot(from, middle, nodeAt));
      from = middle;
    }
  }
  return path.reverse();
}

/** Ranges of a split begin at a multiple of the largest power of two in them. */
function rangeRoot(from: number, to: number, nodeAt: (level: number, number: number) => Uint8Array): Uint8Array {
  const level = Math.log2(to - from);
  if (Number.isInteger(level)) return nodeAt(level, from / 2 ** level);
  const middle = from + splitPoint(to - from);
  return nodeHash(rangeRoot(from, middle, nodeAt), rangeRoot(middle, to, nodeAt));
}
