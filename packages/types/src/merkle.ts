/**
 * Merkle trees over lists of byte strings.
 *
 *   node   SHA-256(left || right): 64 bytes, hashed many at a time (docs/decisions/0065)
 *   leaf   SHA-256(0x00 || data), and SHA-256(0x01 || 0x00 || data) for data of 63 bytes: never 64 bytes
 *
 * So a leaf is no node, whatever its data (W12). The shape is that of RFC 6962, section 2.1: split at the largest power of two below the
 * size; the empty tree is SHA-256 of nothing. The root does not commit to the number of leaves, so a signer signs the count as well
 * (digest.ts), or a path could be read against another shape.
 */
import { assert, bytesEqual, HASH_BYTES, hashOfParts, hashPairs, sha256, writeSha256 } from '@slipstream/primitives';

const PAIR_BYTES = 2 * HASH_BYTES;
const LEAF = new Uint8Array([0]);
/** Where LEAF would make a leaf as long as a pair. */
const LEAF_OF_PAIR_LENGTH = new Uint8Array([1, 0]);

/** Receipts without output have 98 bytes. */
const LEAF_BYTES_AT_FIRST = 256;

/** At most 2^32 leaves. */
export const MERKLE_PATH_MAX = 32;

export function leafHash(data: Uint8Array): Uint8Array {
  return hashOfParts(leafPrefix(data), data);
}

function leafPrefix(data: Uint8Array): Uint8Array {
  return data.length + LEAF.length === PAIR_BYTES ? LEAF_OF_PAIR_LENGTH : LEAF;
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashOfParts(left, right);
}

/** Strictly below `count` (>= 2). */
export function splitPoint(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1));
}

export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0));
  let level = leafHashes(leaves);
  while (level.length > HASH_BYTES) level = levelAbove(level);
  return level;
}

/** One buffer: an array per leaf costs as much as its hash. */
function leafHashes(leaves: readonly Uint8Array[]): Uint8Array {
  const hashes = new Uint8Array(HASH_BYTES * leaves.length);
  let input = new Uint8Array(LEAF_BYTES_AT_FIRST);
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i] as Uint8Array;
    const prefix = leafPrefix(leaf);
    const length = prefix.length + leaf.length;
    if (input.length < length) input = new Uint8Array(2 * length);
    input.set(prefix);
    input.set(leaf, prefix.length);
    writeSha256(input.subarray(0, length), hashes, HASH_BYTES * i);
  }
  return hashes;
}

/**
 * Joined from the left, an odd last one moves up unchanged. That equals splitting from the top, because each split is at a power of two.
 */
function levelAbove(level: Uint8Array): Uint8Array {
  const odd = level.length % PAIR_BYTES;
  const paired = level.length - odd;
  const above = new Uint8Array(paired / 2 + odd);
  hashPairs(level.subarray(0, paired), above.subarray(0, paired / 2));
  above.set(level.subarray(paired), paired / 2);
  return above;
}

interface MerkleTree {
  readonly root: Uint8Array;
  /** From the leaf up. */
  path(index: number): readonly Uint8Array[];
}

/** For many paths of one list: each node is hashed once. */
export function createMerkleTree(leaves: readonly Uint8Array[]): MerkleTree {
  assert(leaves.length > 0, 'paths are of leaves');
  const levels: Uint8Array[] = [];
  let root = leafHashes(leaves);
  while (root.length > HASH_BYTES) {
    levels.push(root);
    root = levelAbove(root);
  }
  return {
    root,
    path(index) {
      assert(index >= 0 && index < leaves.length, 'a Merkle path starts at a leaf that exists');
      const path: Uint8Array[] = [];
      let at = index;
      for (const level of levels) {
        const sibling = HASH_BYTES * (at ^ 1);
        // An odd last node moves up unchanged.
        if (sibling < level.length) path.push(level.subarray(sibling, sibling + HASH_BYTES));
        at >>>= 1;
      }
      return path;
    },
  };
}

/** From the leaf up. */
export function merklePath(leaves: readonly Uint8Array[], index: number): readonly Uint8Array[] {
  return createMerkleTree(leaves).path(index);
}

/** Whether `leaf` is at `index` of `count`. The path's length must be exact. */
export function verifyMerklePath(
  leaf: Uint8Array,
  index: number,
  count: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= count || path.length > MERKLE_PATH_MAX) return false;
  const leftTurns: boolean[] = [];
  let from = 0;
  let to = count;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    leftTurns.push(index < middle);
    if (index < middle) to = middle;
    else from = middle;
  }
  if (leftTurns.length !== path.length) return false;
  let hash = leafHash(leaf);
  for (const sibling of path) {
    if (sibling.length !== HASH_BYTES) return false;
    hash = leftTurns.pop() ? nodeHash(hash, sibling) : nodeHash(sibling, hash);
  }
  return bytesEqual(hash, root);
}
