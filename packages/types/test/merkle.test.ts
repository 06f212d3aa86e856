import { concatBytes, sha256 } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMerkleTree, merklePath, merkleRoot, verifyMerklePath } from '../src/index.ts';

const hashOf = (...parts: readonly Uint8Array[]) => sha256(Uint8Array.from(parts.flatMap((part) => [...part])));

const leafOf = (data: Uint8Array) => hashOf(data.length === 63 ? Uint8Array.of(1, 0) : Uint8Array.of(0), data);

/** Shape of RFC 6962, section 2.1. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return hashOf();
  if (leaves.length === 1) return leafOf(leaves[0] as Uint8Array);
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return hashOf(treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const leaf = fc.oneof(
  fc.uint8Array({ maxLength: 600 }),
  fc.uint8Array({ minLength: 61, maxLength: 65 }), // about the length of a pair
);

/** A hash that begins with the byte of a leaf is one of 256. */
function leafWhoseHashBegins(byte: number): Uint8Array {
  for (let i = 0; ; i++) {
    const data = Uint8Array.of(i, i >> 8);
    if (leafOf(data)[0] === byte) return data;
  }
}

describe('Merkle trees', () => {
  it('have the root of a plain recursion, whatever their size', () => {
    for (let count = 0; count <= 140; count++) {
      const leaves = Array.from({ length: count }, (_, i) => new Uint8Array(i % 70).fill(i));
      expect(merkleRoot(leaves)).toEqual(treeHash(leaves));
    }
  });

  it('have the root of a plain recursion, whatever their leaves', () => {
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 40 }), (leaves) => {
        expect(merkleRoot(leaves)).toEqual(treeHash(leaves));
      }),
    );
  });

  it('have a path to that root from each leaf', () => {
    fc.assert(
      fc.property(fc.array(leaf, { minLength: 1, maxLength: 40 }), fc.nat(), (leaves, at) => {
        const index = at % leaves.length;
        const path = merklePath(leaves, index);
        const root = treeHash(leaves);
        expect(createMerkleTree(leaves).root).toEqual(root);
        expect(verifyMerklePath(leaves[index] as Uint8Array, index, leaves.length, path, root)).toBe(true);
      }),
    );
  });

  it('give no path for another index, another length or a changed byte', () => {
    fc.assert(
      fc.property(fc.uniqueArray(leaf, { minLength: 2, maxLength: 40, selector: String }), fc.nat(), (leaves, at) => {
        const index = at % leaves.length;
        const data = leaves[index] as Uint8Array;
        const path = merklePath(leaves, index);
        const root = merkleRoot(leaves);
        const isAt = (place: number, way: readonly Uint8Array[]) =>
          verifyMerklePath(data, place, leaves.length, way, root);
        for (let other = 0; other < leaves.length; other++) expect(isAt(other, path)).toBe(other === index);
        for (const [level, sibling] of path.entries()) {
          const changed = Uint8Array.from(sibling, (byte, i) => (i === at % 32 ? byte ^ 1 : byte));
          expect(isAt(index, path.with(level, changed))).toBe(false);
        }
        expect(isAt(index, path.slice(1))).toBe(false);
        expect(isAt(index, [...path, root])).toBe(false);
      }),
    );
  });

  it.each([0, 1])('W12: no leaf has the hash of a node that begins with byte %i', (byte) => {
    const leaves = [leafWhoseHashBegins(byte), Uint8Array.of(7)];
    const pair = concatBytes(...leaves.map(leafOf));
    const root = merkleRoot(leaves);
    expect(sha256(pair)).toEqual(root);
    for (const skipped of [0, 1, 2]) {
      const data = pair.subarray(skipped);
      expect(merkleRoot([data])).not.toEqual(root);
      expect(verifyMerklePath(data, 0, 1, [], root)).toBe(false);
    }
  });

  it('W12: data of 63 bytes has another leaf than the same bytes after one more', () => {
    const data = new Uint8Array(63).fill(9);
    for (const byte of [0, 1])
      expect(merkleRoot([concatBytes(Uint8Array.of(byte), data)])).not.toEqual(merkleRoot([data]));
  });
});
