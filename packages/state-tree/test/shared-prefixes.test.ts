/**
 * Keys whose K begin alike, as an attacker may look for: here SHA-256 has two bits in place of its first 64, so that a few keys are
 * enough.
 */
import { describe, expect, it, vi } from 'vitest';

vi.mock('@slipstream/primitives', async (original) => {
  const real = await original<typeof import('@slipstream/primitives')>();
  const weaken = (hash: Uint8Array) => {
    hash.fill(0, 1, 8);
    hash[0] = (hash[0] as number) & 0xc0;
    return hash;
  };
  return {
    ...real,
    sha256: (bytes: Uint8Array) => weaken(real.sha256(bytes)),
    hashPairs: (pairs: Uint8Array, hashes: Uint8Array) => {
      real.hashPairs(pairs, hashes);
      for (let at = 0; at < hashes.length; at += 32) weaken(hashes.subarray(at, at + 32));
    },
  };
});

const { pathProofCodec, verifyPath } = await import('../src/index.ts');
const { plainRoot } = await import('./plain-tree.ts');
const { changed, columnsOf, createChance, keyOf, randomChanges, treeOf } = await import('./states.ts');

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));

describe('keys ground into one bucket', () => {
  it.each([1, 2, 3])('have rows of their own, and contents alone give the root (seed %d)', async (seed) => {
    const chance = createChance(seed);
    const tree = await treeOf(new Map());
    let state: ReadonlyMap<string, Uint8Array> = new Map();
    for (let round = 0; round < 40; round++) {
      const mix = { keys: 90, count: 1 + chance(40), deletes: round % 6 > 2 ? 90 : 30 };
      const changes = randomChanges(state, chance, mix);
      const next = changed(state, changes);
      await tree.apply(tree.tip, `rival ${round}`, columnsOf(randomChanges(state, chance, mix)));
      expect(await tree.apply(tree.tip, `${round}`, columnsOf(changes))).toEqual(plainRoot(next));
      await tree.commit(`${round}`);
      state = next;
    }
    expect((await treeOf(state)).root('genesis')).toEqual(plainRoot(state));
  });

  it.each([1, 2, 3])('stay keys of their own when one changes at a time (seed %d)', async (seed) => {
    const chance = createChance(seed);
    const tree = await treeOf(new Map());
    let state: ReadonlyMap<string, Uint8Array> = new Map();
    for (let round = 0; round < 60; round++) {
      const changes = randomChanges(state, chance, { keys: 6, count: 1, deletes: 20 });
      state = changed(state, changes);
      expect(await tree.apply(tree.tip, `${round}`, columnsOf(changes))).toEqual(plainRoot(state));
      await tree.commit(`${round}`);
    }
  });

  it('are proven present; that another one is absent is not shown', async () => {
    const state = new Map(Array.from({ length: 60 }, (_, i) => [keyOf(i), Uint8Array.of(i)]));
    const tree = await treeOf(state);
    const root = tree.root('genesis') as Uint8Array;
    for (const [key, value] of state) {
      const proof = tree.prove(hex(key));
      if (!proof.ok) throw new Error(proof.error);
      const decoded = pathProofCodec.decode(pathProofCodec.encode(proof.value));
      expect(decoded.ok && verifyPath(root, hex(key), value, decoded.value)).toMatchObject({ ok: true });
      expect(verifyPath(root, hex(key), Uint8Array.of(...value, 0), proof.value)).toMatchObject({ ok: false });
    }
    expect(tree.prove(hex(keyOf(61)))).toEqual({ ok: false, error: 'shared-prefix' });
  });

  it('cost a path of 64 nodes at most', async () => {
    const tree = await treeOf(new Map(Array.from({ length: 60 }, (_, i) => [keyOf(i), Uint8Array.of(i)])));
    const proof = tree.prove(hex(keyOf(0)));
    expect(proof.ok && proof.value.siblings.length).toBe(64);
    expect(tree.stats().nodes).toBeLessThanOrEqual(4 * 64);
  });
});
