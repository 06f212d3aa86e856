import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { action, application, query, sorted, text, u8, u32 } from '../src/index.ts';
import { createProgram } from '../src/program/index.ts';
import { insertKey, type NodeStore, nodeAt, removeKey } from '../src/sorted/key-tree.ts';
import { scanKeys } from '../src/sorted/scan.ts';
import { type NodeLimits, nodeLimits, ROOT, type TreeNode } from '../src/sorted/tree-node.ts';
import { enterCall } from '../src/state/call-in-hand.ts';
import { createMemoryChain } from './memory-host.ts';

interface Tree {
  readonly store: NodeStore;
  readonly nodes: Map<number, TreeNode>;
}

function createTree(): Tree {
  const nodes = new Map<number, TreeNode>();
  return {
    nodes,
    store: {
      read: (number) => nodes.get(number),
      write: (number, node) => void nodes.set(number, node),
      remove: (number) => void nodes.delete(number),
    },
  };
}

/** Throws where the tree is not one; returns its keys in order. */
function checkTree({ store, nodes }: Tree, { keysMax, keysMin }: NodeLimits): readonly string[] {
  const seen = new Set<number>();
  const keysBelow = (number: number, level: number | undefined, from: string, to: string | undefined): string[] => {
    const node = nodeAt(store, number);
    if (nodes.has(number)) seen.add(number);
    if (level !== undefined) expect(node.level).toBe(level);
    expect(node.keys.length).toBeLessThanOrEqual(keysMax);
    if (number !== ROOT) expect(node.keys.length).toBeGreaterThanOrEqual(keysMin);
    if (number !== ROOT) expect(node.next).toBe(0);
    const compared = node.keys.slice(node.level === 0 ? 0 : 1);
    expect([...new Set(compared)].sort()).toEqual(compared);
    if (node.level === 0) {
      expect(node.children).toEqual([]);
      for (const key of node.keys) expect(key >= from && (to === undefined || key < to)).toBe(true);
      return [...node.keys];
    }
    expect(node.children.length).toBe(node.keys.length);
    expect(node.children.length).toBeGreaterThanOrEqual(2);
    return node.children.flatMap((child, i) =>
      keysBelow(child, node.level - 1, i === 0 ? from : (node.keys[i] as string), node.keys[i + 1] ?? to),
    );
  };
  const keys = keysBelow(ROOT, undefined, '', undefined);
  expect(seen.size).toBe(nodes.size);
  for (const number of nodes.keys()) expect(number).toBeLessThan(nodeAt(store, ROOT).next);
  return keys;
}

const SMALL: NodeLimits = { keysMax: 8, keysMin: 2 };
const keyOf = (number: number) => String.fromCharCode(number >> 8, number & 0xff);

/** Toggles each number: in if it is out, out if it is in. */
const toggles = fc.array(fc.nat(300), { maxLength: 400 });

describe('a key tree', () => {
  it('holds the keys of a sorted list over random operations, and its nodes stay within their limits', () => {
    fc.assert(
      fc.property(toggles, (numbers) => {
        const tree = createTree();
        const expected = new Set<string>();
        numbers.forEach((number, i) => {
          const key = keyOf(number);
          if (expected.delete(key)) removeKey(tree.store, SMALL, key);
          else {
            insertKey(tree.store, SMALL, key);
            expected.add(key);
          }
          if (i % 16 === 0) checkTree(tree, SMALL);
        });
        expect(checkTree(tree, SMALL)).toEqual([...expected].sort());
      }),
      { numRuns: 150 },
    );
  });

  it('scans any range in both directions', () => {
    const bounds = fc.option(fc.nat(310), { nil: undefined });
    fc.assert(
      fc.property(
        toggles,
        bounds,
        bounds,
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        (all, from, to, limit, reverse) => {
          const tree = createTree();
          const keys = [...new Set(all.map(keyOf))];
          for (const key of keys) insertKey(tree.store, SMALL, key);
          const [least, above] = [from, to].map((bound) => (bound === undefined ? undefined : keyOf(bound)));
          const inside = keys
            .sort()
            .filter((key) => (least === undefined || key >= least) && (above === undefined || key < above));
          if (reverse) inside.reverse();
          expect(scanKeys(tree.store, { from: least, to: above, limit, reverse })).toEqual(inside.slice(0, limit));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('grows by some levels and shrinks to nothing, in ascending and descending order', () => {
    const numbers = Array.from({ length: 2_000 }, (_, i) => i);
    for (const order of [numbers, numbers.toReversed()]) {
      const tree = createTree();
      for (const number of order) insertKey(tree.store, SMALL, keyOf(number));
      expect(nodeAt(tree.store, ROOT).level).toBeGreaterThanOrEqual(3);
      checkTree(tree, SMALL);
      for (const number of numbers) {
        removeKey(tree.store, SMALL, keyOf(number));
        if (number % 100 === 0) checkTree(tree, SMALL);
      }
      expect(tree.nodes.size).toBe(0);
    }
  });

  it('has nodes of at most 4 KiB, with up to 32 keys', () => {
    expect(nodeLimits(8)).toEqual({ keysMax: 32, keysMin: 8 });
    expect(nodeLimits(256)).toEqual({ keysMax: 15, keysMin: 3 });
    expect(() => nodeLimits(257)).toThrow('may have 257 bytes, the limit is 256');
  });
});

const book = sorted([u32, u8], text(5));
const names = sorted(text(8), u8);
const program = createProgram(
  application({
    name: 'books',
    version: 1,
    state: { book, names },
    actions: { none: action({}, { run() {} }) },
    queries: { none: query({}, u8, () => 0) },
  }),
);

describe('a sorted table', () => {
  it('has its entries in the order of numbers', () => {
    const operations = fc.array(fc.tuple(fc.nat(400), fc.constantFrom(0, 1, 255), fc.boolean()), { maxLength: 200 });
    fc.assert(
      fc.property(operations, (all) => {
        const { host } = createMemoryChain(program);
        enterCall(host);
        const expected = new Map<number, { key: readonly [number, number]; value: string }>();
        for (const [price, number, isAdded] of all) {
          const rank = 256 * price + number;
          if (isAdded) {
            book.set([price, number], `v${number}`);
            expected.set(rank, { key: [price, number], value: `v${number}` });
          } else {
            book.delete([price, number]);
            expected.delete(rank);
          }
          expect(book.get([price, number])).toBe(isAdded ? `v${number}` : undefined);
        }
        const entries = [...expected].sort(([a], [b]) => a - b).map(([, entry]) => entry);
        expect(book.range({ limit: 1_000 })).toEqual(entries);
        expect(book.first()).toEqual(entries[0]);
        expect(book.last()).toEqual(entries.at(-1));
        const part = entries.filter(({ key: [price] }) => price >= 100 && price < 300);
        expect(book.range({ from: [100, 0], to: [300, 0], limit: 1_000, reverse: true })).toEqual(part.reverse());
      }),
      { numRuns: 60 },
    );
  });

  it('has single keys of text in the order of their bytes', () => {
    enterCall(createMemoryChain(program).host);
    for (const name of ['b', '', 'abc', 'ab', 'ab\0', '\u00e9']) names.set(name, name.length);
    expect(names.range({ limit: 10 }).map(({ key }) => key)).toEqual(['', 'ab', 'ab\0', 'abc', 'b', '\u00e9']);
    expect(names.range({ from: 'ab', to: 'b', limit: 10 }).map(({ value }) => value)).toEqual([2, 3, 3]);
  });

  it('reads an entry and changes its value without its tree', () => {
    const chain = createMemoryChain(program);
    enterCall(chain.host);
    for (let i = 0; i < 200; i++) book.set([i, 0], 'a');
    const before = { ...chain.counts };
    expect(book.get([77, 0])).toBe('a');
    book.set([77, 0], 'b');
    expect([chain.counts.reads - before.reads, chain.counts.writes - before.writes]).toEqual([2, 1]);
  });

  it('refuses a range without a limit that fits', () => {
    enterCall(createMemoryChain(program).host);
    for (const limit of [0, 1_001, 1.5]) expect(() => book.range({ limit })).toThrow('is not a limit of 1 to 1000');
  });
});
