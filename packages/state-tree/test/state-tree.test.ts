import { describe, expect, it } from 'vitest';
import { plainRoot, type State } from './plain-tree.ts';
import { changed, columnsOf, createChance, keyOf, randomChanges, randomValue, treeOf } from './states.ts';

const EMPTY: State = new Map();

function stateOf(keys: number, seed = 1): State {
  const chance = createChance(seed);
  return new Map(Array.from({ length: keys }, (_, i) => [keyOf(i), randomValue(chance)]));
}

describe('the root of a state tree', () => {
  it.each([0, 1, 2, 3, 7, 8, 9, 17, 500, 3_000])('is that of a plain recursion over %d keys', async (keys) => {
    const state = stateOf(keys);
    expect((await treeOf(state)).root('genesis')).toEqual(plainRoot(state));
  });

  it.each([1, 2, 3, 4, 5, 6])('follows from contents after puts, deletes, drops and rivals (seed %d)', async (seed) => {
    const chance = createChance(seed);
    let state: State = stateOf(chance(40), seed);
    const tree = await treeOf(state);
    for (let round = 0; round < 30; round++) {
      const mix = { keys: 1_500, count: 1 + chance(round % 5 === 0 ? 900 : 40), deletes: round % 7 > 3 ? 95 : 20 };
      const changes = randomChanges(state, chance, mix);
      const next = changed(state, changes);
      const block = `block ${round}`;
      const before = tree.root(tree.tip);
      if (chance(2) === 0) await tree.apply(tree.tip, `rival ${round}`, columnsOf(randomChanges(state, chance, mix)));
      expect(await tree.apply(tree.tip, block, columnsOf(changes))).toEqual(plainRoot(next));
      if (chance(3) === 0) {
        await tree.drop(block);
        expect(tree.root(block)).toBeUndefined();
        expect(tree.root(tree.tip)).toEqual(before);
        continue;
      }
      await tree.commit(block);
      expect(tree.stats().blocks).toBe(0);
      state = next;
    }
    expect((await tree.apply(tree.tip, 'last', columnsOf(new Map()))) as Uint8Array).toEqual(plainRoot(state));
  });

  it('is the same for each order of writes and each cut into blocks', async () => {
    const state = stateOf(400);
    const expected = plainRoot(state);
    for (const size of [1, 7, 400]) {
      const tree = await treeOf(EMPTY);
      const entries = [...state].reverse();
      for (let at = 0; at < entries.length; at += size) {
        await tree.apply(tree.tip, `at ${at}`, columnsOf(new Map(entries.slice(at, at + size))));
        await tree.commit(`at ${at}`);
      }
      expect(tree.root(tree.tip)).toEqual(expected);
    }
  });

  it('is zeros once all keys are deleted, and no memory is lost', async () => {
    const state = stateOf(2_000);
    const tree = await treeOf(state);
    const { bytes } = tree.stats();
    for (let round = 0; round < 6; round++) {
      await tree.apply(tree.tip, `none ${round}`, columnsOf(new Map([...state.keys()].map((key) => [key, undefined]))));
      await tree.commit(`none ${round}`);
      expect(tree.root(tree.tip)).toEqual(new Uint8Array(32));
      expect(tree.stats().nodes).toBe(0);
      await tree.apply(tree.tip, `all ${round}`, columnsOf(state));
      await tree.commit(`all ${round}`);
    }
    expect(tree.root(tree.tip)).toEqual(plainRoot(state));
    expect(tree.stats().bytes).toBeLessThanOrEqual(bytes);
  });

  it('ignores the delete of a key that is not there', async () => {
    const state = stateOf(50);
    const tree = await treeOf(state);
    const root = await tree.apply('genesis', 'a', columnsOf(new Map([[keyOf(9_999), undefined]])));
    expect(root).toEqual(plainRoot(state));
  });
});

describe('blocks above the committed one', () => {
  it('may be rivals, many high: each has the root of its own state', async () => {
    const state = stateOf(300);
    const tree = await treeOf(state);
    const chance = createChance(5);
    const states = new Map([['genesis', state]]);
    for (let i = 0; i < 40; i++) {
      const parents = [...states.keys()];
      const parent = parents[chance(parents.length)] as string;
      const changes = randomChanges(states.get(parent) as State, chance, { keys: 400, count: 30, deletes: 40 });
      states.set(`${i}`, changed(states.get(parent) as State, changes));
      await tree.apply(parent, `${i}`, columnsOf(changes));
      expect(tree.root(`${i}`)).toEqual(plainRoot(states.get(`${i}`) as State));
    }
    await tree.commit('0');
    expect(tree.root('0')).toEqual(plainRoot(states.get('0') as State));
    await expect(tree.apply('genesis', 'late', columnsOf(new Map()))).rejects.toMatchObject({ code: 'unknown-block' });
    const root = await tree.apply('0', 'next', columnsOf(new Map([['61', Uint8Array.of(1)]])));
    expect(root).toEqual(plainRoot(changed(states.get('0') as State, new Map([['61', Uint8Array.of(1)]]))));
  });

  it('are bounded, and named when they are wrong', async () => {
    const tree = await treeOf(stateOf(20), 2);
    await tree.apply('genesis', 'a', columnsOf(new Map()));
    await tree.apply('a', 'b', columnsOf(new Map()));
    await expect(tree.apply('b', 'c', columnsOf(new Map()))).rejects.toMatchObject({ code: 'too-many-blocks' });
    await expect(tree.apply('a', 'b', columnsOf(new Map()))).rejects.toMatchObject({ code: 'known-block' });
    await expect(tree.commit('b')).rejects.toMatchObject({ code: 'not-next' });
    await tree.drop('a');
    await tree.drop('unknown');
    expect(tree.stats().blocks).toBe(0);
  });

  it('are taken in one after another, and the memory of the changes may be used again at once', async () => {
    const state = stateOf(20);
    const tree = await treeOf(state);
    const [first, second] = [new Map([['61', Uint8Array.of(1)]]), new Map([['62', Uint8Array.of(2)]])];
    const columns = columnsOf(first);
    const roots = [tree.apply('genesis', 'a', columns), tree.apply('a', 'b', columnsOf(second))];
    columns.bytes.fill(0);
    const done = tree.commit('a');
    expect(await Promise.all(roots)).toEqual([
      plainRoot(changed(state, first)),
      plainRoot(changed(changed(state, first), second)),
    ]);
    await done;
    expect(tree.tip).toBe('a');
  });

  it('of many keys leave the thread free between slices', async () => {
    const pauses = { count: 0 };
    const tree = await treeOf(EMPTY, 64, pauses);
    const before = pauses.count;
    await tree.apply('genesis', 'a', columnsOf(stateOf(5_000)));
    expect(pauses.count - before).toBeGreaterThanOrEqual(4);
  });
});

describe('changes that no state has', () => {
  const cases: readonly (readonly [string, ReturnType<typeof columnsOf>])[] = [
    ['a key of 64 bytes', columnsOf(new Map([['00'.repeat(64), new Uint8Array()]]))],
    ['a key of no bytes', columnsOf(new Map([['', new Uint8Array()]]))],
    ['a value above 65,536 bytes', columnsOf(new Map([['61', new Uint8Array(65_537)]]))],
    ['a key twice', { bytes: Uint8Array.of(1, 1), keyBytes: Uint8Array.of(1, 1), valueBytes: Int32Array.of(-1, -1) }],
    ['too few bytes', { bytes: Uint8Array.of(1), keyBytes: Uint8Array.of(2), valueBytes: Int32Array.of(-1) }],
    ['fewer values than keys', { bytes: Uint8Array.of(1), keyBytes: Uint8Array.of(1), valueBytes: new Int32Array(0) }],
  ];

  it.each(cases)('are refused, and the tree goes on: %s', async (_, columns) => {
    const state = stateOf(30);
    const tree = await treeOf(state);
    await expect(tree.apply('genesis', 'a', columns)).rejects.toMatchObject({ code: 'bad-changes' });
    expect(await tree.apply('genesis', 'a', columnsOf(new Map()))).toEqual(plainRoot(state));
  });

  it('are not taken at the opening', async () => {
    await expect(treeOf(new Map([['00'.repeat(64), new Uint8Array()]]))).rejects.toMatchObject({ code: 'bad-changes' });
  });
});
