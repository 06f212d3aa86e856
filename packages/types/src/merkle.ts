/**
 * Merkle trees over lists of byte strings.
 *
 * Source: RFC 6962, section 2.1: leaf = SHA-256(0x00 || data), node = SHA-256(0x01 || left || right), split at the largest power of two
 * below the size, the empty tree is SHA-256 of nothing. The root does not commit to the number of leaves, so a signer signs the count as
 * well (digest.ts), or a path could be read against another shape.
 */
import { assert, bytesEqual, HASH_BYTES, hashOfParts, sha256, writeSha256 } from '@slipstream/primitives';

const LEAF = new Uint8Array([0]);
const NODE = new Uint8Array([1]);

/** Receipts without output have 98 bytes. */
const LEAF_BYTES_AT_FIRST = 256;

/** At most 2^32 leaves. */
export const MERKLE_PATH_MAX = 32;

export function leafHash(data: Uint8Array): Uint8Array {
  return hashOfParts(LEAF, data);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashOfParts(NODE, left, right);
}

/** Strictly below `count` (>= 2). */
export function splitPoint(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1));
}

function rootOf(hashes: readonly Uint8Array[], from: number, to: number): Uint8Array {
  if (to - from === 1) return hashes[from] as Uint8Array;
  const middle = from + splitPoint(to - from);
  return nodeHash(rootOf(hashes, from, middle), rootOf(hashes, middle, to));
}

export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0));
  const hashes = leafHashes(leaves);
  for (let count = leaves.length; count > 1; count = Math.ceil(count / 2)) hashLevel(hashes, count);
  return hashes.slice(0, HASH_BYTES);
}

/** One buffer: an array per leaf costs as much as its hash. */
function leafHashes(leaves: readonly Uint8Array[]): Uint8Array {
  const hashes = new Uint8Array(HASH_BYTES * leaves.length);
  let input = new Uint8Array(LEAF_BYTES_AT_FIRST);
  for (let i = 0; i < leaves.length; i++) {
    const leaf = leaves[i] as Uint8Array;
    if (input.length < 1 + leaf.length) input = new Uint8Array(2 * leaf.length);
    input.set(leaf, 1);
    writeSha256(input.subarray(0, 1 + leaf.length), hashes, HASH_BYTES * i);
  }
  return hashes;
}

/**
 * Replaces `count` hashes by the nodes above: joined from the left, an odd last one moves up unchanged. That equals splitting from the
 * top, because each split is at a power of two.
 */
function hashLevel(hashes: Uint8Array, count: number): void {
  const input = new Uint8Array(1 + 2 * HASH_BYTES);
  input.set(NODE);
  const pairs = count >>> 1;
  for (let i = 0; i < pairs; i++) {
    const at = 2 * HASH_BYTES * i;
    input.set(hashes.subarray(at, at + 2 * HASH_BYTES), 1);
    writeSha256(input, hashes, HASH_BYTES * i);
  }
  if (count % 2 === 1) hashes.copyWithin(HASH_BYTES * pairs, HASH_BYTES * (count - 1), HASH_BYTES * count);
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
  let hashes = leafHashes(leaves);
  for (let count = leaves.length; count > 1; count = Math.ceil(count / 2)) {
    levels.push(hashes.slice(0, HASH_BYTES * count));
    hashLevel(hashes, count);
  }
  hashes = hashes.slice(0, HASH_BYTES);
  return {
    root: hashes,
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
  assert(index >= 0 && index < leaves.length, 'a Merkle path starts at a leaf that exists');
  const hashes = leaves.map(leafHash);
  const path: Uint8Array[] = [];
  let from = 0;
  let to = leaves.length;
  while (to - from > 1) {
    const middle = from + splitPoint(to - from);
    if (index < middle) {
      path.push(rootOf(hashes, middle, to));
      to = middle;
    } else {
      path.push(rootOf(hashes, from, middle));
      from = middle;
    }
  }
  return path.reverse();
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
