import { sha256 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { type PathFault, type PathProof, pathProofCodec, type StateTree, verifyPath } from '../src/index.ts';
import type { State } from './plain-tree.ts';
import { changed, columnsOf, createChance, keyOf, randomChanges, randomValue, treeOf } from './states.ts';

const KEYS = 2_000;
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

function stateOf(keys: number): State {
  const chance = createChance(9);
  return new Map(Array.from({ length: keys }, (_, i) => [keyOf(i), randomValue(chance)]));
}

const state = stateOf(KEYS);
const tree = await treeOf(state);
const root = tree.root('genesis') as Uint8Array;

function proofOf(key: string, from: StateTree = tree): PathProof {
  const made = from.prove(hex(key));
  if (!made.ok) throw new Error(made.error);
  return made.value;
}

function faultOf(key: string, value: Uint8Array | undefined, proof: PathProof, at = root): PathFault | undefined {
  const checked = verifyPath(at, hex(key), value, proof);
  return checked.ok ? undefined : checked.error;
}

/** A proof whose place is of this kind. */
function proofWith(kind: PathProof['place']['kind']): { readonly key: string; readonly proof: PathProof } {
  for (let i = kind === 'entry' ? 0 : KEYS; i < 20 * KEYS; i++) {
    const proof = proofOf(keyOf(i), kind === 'empty' ? sparse : tree);
    if (proof.place.kind === kind) return { key: keyOf(i), proof };
  }
  throw new Error(`no key has a place of kind ${kind}`);
}

/** Nine keys below one bit: the other half is empty. */
const sparseState = new Map([...state].filter(([key]) => (sha256(blockOf(key))[0] as number) >= 128).slice(0, 9));
const sparse = await treeOf(sparseState);
const sparseRoot = sparse.root('genesis') as Uint8Array;

function blockOf(key: string): Uint8Array {
  const block = new Uint8Array(64);
  block.set(hex(key));
  block[63] = key.length / 2;
  return block;
}

describe('proofs of presence and absence', () => {
  it('hold for each key of a state, and for keys that it has not', () => {
    for (let i = 0; i < KEYS; i += 3) expect(faultOf(keyOf(i), state.get(keyOf(i)), proofOf(keyOf(i)))).toBeUndefined();
    for (let i = KEYS; i < KEYS + 500; i++) expect(faultOf(keyOf(i), undefined, proofOf(keyOf(i)))).toBeUndefined();
  });

  it.each([0, 1, 2, 3, 8, 9, 20])('hold in a state of %d keys', async (keys) => {
    const few = stateOf(keys);
    const own = await treeOf(few);
    const at = own.root('genesis') as Uint8Array;
    for (let i = 0; i < keys + 20; i++) {
      expect(faultOf(keyOf(i), few.get(keyOf(i)), proofOf(keyOf(i), own), at)).toBeUndefined();
    }
  });

  it('hold for an empty place', () => {
    const { key, proof } = proofWith('empty');
    expect(faultOf(key, undefined, proof, sparseRoot)).toBeUndefined();
  });

  it('hold for values of no bytes and of the maximum', async () => {
    const values = new Map([0, 1, 31, 32, 64, 65_536].map((length) => [keyOf(length), new Uint8Array(length).fill(1)]));
    const own = await treeOf(values);
    const at = own.root('genesis') as Uint8Array;
    for (const [key, value] of values) expect(faultOf(key, value, proofOf(key, own), at)).toBeUndefined();
    expect(faultOf(keyOf(0), new Uint8Array(65_537), proofOf(keyOf(0), own), at)).toBe('form');
  });

  it('are of the committed state, whatever blocks and rivals are above it', async () => {
    const chance = createChance(3);
    const own = await treeOf(state);
    for (let i = 0; i < 6; i++) {
      const mix = { keys: KEYS, count: 400, deletes: 60 };
      const parent = i % 3 === 0 ? 'genesis' : `${i - 1}`;
      await own.apply(parent, `${i}`, columnsOf(randomChanges(state, chance, mix)));
      for (let k = 0; k < KEYS + 100; k += 17)
        expect(faultOf(keyOf(k), state.get(keyOf(k)), proofOf(keyOf(k), own))).toBeUndefined();
    }
  });

  it('are of the committed state while a block is half taken in', async () => {
    let during = 0;
    const secret = new Uint8Array(32);
    const { openStateTree } = await import('../src/index.ts');
    const pause = async () => {
      if (own?.tip !== 'genesis') return;
      during += 1;
      for (let k = 0; k < KEYS; k += 97)
        expect(faultOf(keyOf(k), state.get(keyOf(k)), proofOf(keyOf(k), own))).toBeUndefined();
    };
    let own: StateTree | undefined;
    own = await openStateTree({ secret, pause }, { block: 'genesis', entries: [columnsOf(state)] });
    const many = new Map(Array.from({ length: 6_000 }, (_, i) => [keyOf(i), Uint8Array.of(1)]));
    await own.apply('genesis', 'a', columnsOf(many));
    await own.drop('a');
    await own.apply('genesis', 'b', columnsOf(new Map([...state.keys()].map((key) => [key, undefined]))));
    expect(during).toBeGreaterThanOrEqual(4);
  });

  it('follow a commit', async () => {
    const own = await treeOf(state);
    const changes = new Map([
      [keyOf(3), undefined],
      [keyOf(KEYS + 1), Uint8Array.of(5)],
    ]);
    await own.apply('genesis', 'a', columnsOf(changes));
    await own.commit('a');
    const [next, at] = [changed(state, changes), own.root('a') as Uint8Array];
    for (const key of [keyOf(3), keyOf(KEYS + 1), keyOf(4)]) {
      expect(faultOf(key, next.get(key), proofOf(key, own), at)).toBeUndefined();
    }
  });
});

describe('false proofs are refused', () => {
  const { key, proof } = proofWith('entry');
  const value = state.get(key) as Uint8Array;
  const { key: absent, proof: absence } = proofWith('others');
  const { key: alone, proof: emptiness } = proofWith('empty');

  it('for another key, value or root', () => {
    expect(faultOf(keyOf(KEYS + 7), value, proof)).toBe('path');
    expect(faultOf(key, Uint8Array.of(...value, 1), proof)).toBe('path');
    expect(faultOf(key, value, proof, sha256(root))).toBe('path');
    expect(faultOf('', value, proof)).toBe('form');
    expect(faultOf('00'.repeat(64), value, proof)).toBe('form');
  });

  it('that a key is absent which is there', () => {
    expect(faultOf(key, undefined, proof)).toBe('value');
    expect(faultOf(absent, value, absence)).toBe('value');
    for (let i = 0; i < KEYS; i++) {
      const other = proofOf(keyOf(i));
      if (other.place.kind !== 'entry') continue;
      const { kind } = other.place;
      expect(kind).toBe('entry');
      expect(faultOf(keyOf(i), undefined, { ...other, place: { kind: 'empty' } })).toBe('path');
      expect(faultOf(keyOf(i), undefined, absence)).toBeDefined();
    }
  });

  it('of a bucket that leaves the key out of its table', () => {
    if (absence.place.kind !== 'others') throw new Error('not of other keys');
    const { prefixes } = absence.place;
    const own = sha256(blockOf(absent)).subarray(0, 8);
    const table = (list: readonly Uint8Array[]) =>
      ({ ...absence, place: { ...absence.place, prefixes: list } }) as PathProof;
    expect(faultOf(absent, undefined, table([...prefixes.slice(1), own]))).toBe('value');
    expect(faultOf(absent, undefined, table(prefixes.slice(1)))).toBe(prefixes.length === 1 ? 'form' : 'path');
    expect(faultOf(absent, undefined, table([]))).toBe('form');
    expect(faultOf(absent, undefined, table(new Array(9).fill(new Uint8Array(8))))).toBe('form');
    expect(faultOf(absent, undefined, table([new Uint8Array(7)]))).toBe('form');
  });

  it('that show a bucket as a node: its count is no sibling', async () => {
    const one = await treeOf(new Map([[keyOf(1), Uint8Array.of(1)]]));
    const at = one.root('genesis') as Uint8Array;
    const count = new Uint8Array(32);
    for (const [low, high] of [
      [1, 0],
      [8, 0],
      [9, 0],
      [0, 1],
    ] as const) {
      count.fill(0).set([low, high]);
      const asNode: PathProof = { place: { kind: 'empty' }, siblings: [new Uint8Array(count)] };
      for (let i = 0; i < 20; i++) expect(faultOf(keyOf(i), undefined, asNode, at)).toBe('form');
    }
    expect(faultOf(key, undefined, { place: { kind: 'empty' }, siblings: [new Uint8Array(32)] }, at)).toBe('form');
  });

  it('that show a node as a bucket, or the inside of a bucket as a bucket', () => {
    const place = proof.place as Extract<PathProof['place'], { kind: 'entry' }>;
    const siblings = proof.siblings.slice(0, -1);
    for (let count = 1; count <= 8; count++) {
      const path = Array.from({ length: Math.ceil(Math.log2(count)) }, () => new Uint8Array(32));
      const shown: PathProof = { siblings, place: { ...place, count, index: 0, path } };
      expect(faultOf(key, value, shown)).toBe('path');
    }
    expect(faultOf(key, value, { ...proof, siblings: [...proof.siblings, place.table] })).toBe('path');
  });

  it('of another count, index or length of a path', () => {
    const place = proof.place as Extract<PathProof['place'], { kind: 'entry' }>;
    const withPlace = (other: Partial<typeof place>) =>
      faultOf(key, value, { ...proof, place: { ...place, ...other } });
    expect(withPlace({ count: 0 })).toBe('form');
    expect(withPlace({ count: 9, path: new Array(4).fill(root) })).toBe('form');
    expect(withPlace({ index: place.count })).toBe('form');
    expect(withPlace({ path: [...place.path, root] })).toBe('form');
    expect(withPlace({ table: root.subarray(1) })).toBe('form');
    expect(faultOf(key, value, { ...proof, siblings: new Array(65).fill(root) })).toBe('form');
    expect(faultOf(key, value, { ...proof, siblings: [root.subarray(1)] })).toBe('form');
  });

  it.each([
    ['an entry', key, value, proof, root],
    ['other keys', absent, undefined, absence, root],
    ['an empty place', alone, undefined, emptiness, sparseRoot],
  ] as const)('with any bit flipped: %s', (_, own, claimed, right, at) => {
    const bytes = pathProofCodec.encode(right);
    for (let bit = 0; bit < 8 * bytes.length; bit++) {
      const flipped = new Uint8Array(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const decoded = pathProofCodec.decode(flipped);
      if (decoded.ok) expect(faultOf(own, claimed, decoded.value, at)).toBeDefined();
    }
    const decoded = pathProofCodec.decode(bytes);
    expect(decoded.ok && faultOf(own, claimed, decoded.value, at)).toBeUndefined();
  });
});

describe('the codec of paths', () => {
  it.each(['entry', 'others', 'empty'] as const)('gives back a path to a place of kind %s', (kind) => {
    const { proof } = proofWith(kind);
    expect(pathProofCodec.decode(pathProofCodec.encode(proof))).toMatchObject({ ok: true });
    const decoded = pathProofCodec.decode(pathProofCodec.encode(proof));
    if (decoded.ok) expect(pathProofCodec.encode(decoded.value)).toEqual(pathProofCodec.encode(proof));
  });

  it('refuses a kind, depth or number of words that no path has', () => {
    const bytes = pathProofCodec.encode(proofWith('entry').proof);
    for (const [at, byte] of [
      [0, 3],
      [0, 0],
      [0, 2],
      [1, 65],
      [1, 255],
      [2, 0],
    ] as const) {
      const changed = new Uint8Array(bytes);
      changed[at] = byte;
      expect(pathProofCodec.decode(changed).ok).toBe(false);
    }
    expect(pathProofCodec.decode(new Uint8Array(bytes.length + 32)).ok).toBe(false);
    expect(pathProofCodec.decode(new Uint8Array(pathProofCodec.bytesMax + 1))).toMatchObject({
      ok: false,
      error: { code: 'oversize' },
    });
  });
});
