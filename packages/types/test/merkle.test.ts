import { sha256 } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merklePath, merkleRoot, verifyMerklePath } from '../src/index.ts';

const hashOf = (...parts: readonly Uint8Array[]) => sha256(Uint8Array.from(parts.flatMap((part) => [...part])));

/** RFC 6962, section 2.1. */
function treeHash(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return hashOf();
  if (leaves.length === 1) return hashOf(Uint8Array.of(0), leaves[0] as Uint8Array);
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return hashOf(Uint8Array.of(1), treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

const leaf = fc.uint8Array({ maxLength: 600 });

describe('Merkle trees', () => {
  it('have the root of RFC 6962, whatever their size', () => {
    for (let count = 0; count <= 70; count++) {
      const leaves = Array.from({ length: count }, (_, i) => new Uint8Array(i % 40).fill(i));
      expect(merkleRoot(leaves)).toEqual(treeHash(leaves));
    }
  });

  it('have the root of RFC 6962, whatever their leaves', () => {
    fc.assert(
      fc.property(fc.array(leaf, { maxLength: 12 }), (leaves) => {
        expect(merkleRoot(leaves)).toEqual(treeHash(leaves));
      }),
    );
  });

  it('have a path to that root from each leaf', () => {
    fc.assert(
      fc.property(fc.array(leaf, { minLength: 1, maxLength: 40 }), fc.nat(), (leaves, at) => {
        const index = at % leaves.length;
        const path = merklePath(leaves, index);
        expect(verifyMerklePath(leaves[index] as Uint8Array, index, leaves.length, path, merkleRoot(leaves))).toBe(
          true,
        );
      }),
    );
  });
});
