import { utf8 } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendLeaf,
  EMPTY_FRONTIER,
  frontierRoot,
  type MerkleFrontier,
  merklePath,
  merkleRoot,
  pathOfNodes,
} from '../src/index.ts';

/** All frontiers from empty on, and each completed subtree by level and number. */
function grown(leaves: readonly Uint8Array[]) {
  const nodes = new Map<string, Uint8Array>();
  const frontiers: MerkleFrontier[] = [EMPTY_FRONTIER];
  for (const leaf of leaves) {
    const { frontier, completed } = appendLeaf(frontiers.at(-1) as MerkleFrontier, leaf);
    for (const { level, number, hash } of completed) nodes.set(`${level} ${number}`, hash);
    frontiers.push(frontier);
  }
  const nodeAt = (level: number, number: number) => nodes.get(`${level} ${number}`) as Uint8Array;
  return { frontiers, nodeAt };
}

const leavesOf = (count: number) => Array.from({ length: count }, (_, i) => utf8(`leaf ${i}`));

describe('an append-only tree', () => {
  it('has the root of all leaves at each size, and a hash for each bit of the size', () => {
    const leaves = leavesOf(70);
    for (const [size, frontier] of grown(leaves).frontiers.entries()) {
      expect(frontierRoot(frontier)).toEqual(merkleRoot(leaves.slice(0, size)));
      expect(frontier.size).toBe(size);
      expect(frontier.hashes).toHaveLength([...size.toString(2)].filter((bit) => bit === '1').length);
    }
  });

  it('gives the paths of the whole tree from complete subtrees', () => {
    const leaves = leavesOf(70);
    const { nodeAt } = grown(leaves);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70 }), fc.nat(), (size, pick) => {
        const index = pick % size;
        expect(pathOfNodes(index, size, nodeAt)).toEqual(merklePath(leaves.slice(0, size), index));
      }),
    );
  });
});
