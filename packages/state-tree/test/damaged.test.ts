import { describe, expect, it } from 'vitest';
import { createBucketMemory } from '../src/bucket-memory.ts';
import { createContents } from '../src/contents.ts';
import { makePath } from '../src/make-proof.ts';
import { rebuild } from '../src/rebuild.ts';
import { columnsOf, keyOf } from './states.ts';

const secret = new Uint8Array(32);
const pause = async () => {};

async function contentsOf(keys: number) {
  const contents = createContents(secret, pause, 2_048);
  const entries = columnsOf(new Map(Array.from({ length: keys }, (_, i) => [keyOf(i), Uint8Array.of(i)])));
  await rebuild(contents, [entries], pause);
  return contents;
}

describe('a tree that is damaged in memory', () => {
  it('serves no path that does not lead to its root', async () => {
    const contents = await contentsOf(100);
    const root = contents.root();
    const memory = { nodes: contents.nodes, buckets: contents.buckets, secret };
    const key = new Uint8Array(Buffer.from(keyOf(5), 'hex'));
    expect(makePath(memory, [], root, key).ok).toBe(true);
    const words = new Uint32Array(8);
    for (let slot = 2; slot < 40; slot++) {
      contents.nodes.readHash(slot, words, 0);
      contents.nodes.writeHash(slot, words.fill(7), 0);
    }
    expect(() => makePath(memory, [], root, key)).toThrow(expect.objectContaining({ code: 'damaged' }));
  });
});

describe('the memory of buckets', () => {
  it('uses a freed place again, for buckets of the same size', () => {
    const buckets = createBucketMemory();
    const rows = new Uint32Array(20 * 11).map((_, i) => i);
    const refs = [1, 2, 3, 8, 9, 20].map((count) => buckets.allocate(rows, 0, count));
    expect(refs.map((ref) => buckets.countOf(ref))).toEqual([1, 2, 3, 8, 9, 20]);
    buckets.free(refs[1] as number);
    buckets.free(refs[4] as number);
    expect(buckets.allocate(rows, 11, 2)).toBe(refs[1]);
    expect(buckets.pageOf(refs[1] as number)[buckets.offsetOf(refs[1] as number)]).toBe(11);
    expect(buckets.pageOf(refs[5] as number).length).toBe(20 * 11);
  });
});
