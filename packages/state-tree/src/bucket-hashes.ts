/**
 * Hashes of many buckets together. Their small trees are hashed from the widest on: buckets of 5 to 8 keys as eight leaves, whose results
 * join those of 3 and 4 keys, and so on.
 */
import type { BucketMemory } from './bucket-memory.ts';
import { BUCKET_KEYS_MAX } from './forms.ts';
import { createIntList, type IntList, push } from './int-list.ts';
import type { NodeMemory } from './node-memory.ts';
import { HASH_WORDS, hashWords, PAIR_WORDS, type PairBuffer, swapBytes } from './pair-buffer.ts';
import { ENTRY, ROW_WORDS } from './rows.ts';

/** New buckets, and the slots where they hang. */
interface FreshBuckets {
  readonly refs: IntList;
  readonly slots: IntList;
}

const PAIRS_MAX_OF_BUCKET = BUCKET_KEYS_MAX / 2;
const WIDTHS_OF_PAIRS = [8, 4, 2] as const;

export function createBucketHasher(buffer: PairBuffer, nodes: NodeMemory, buckets: BucketMemory) {
  /** Buckets whose words are in `roots`, in that order. */
  const ordered = { refs: createIntList(), slots: createIntList() };
  let roots = new Uint32Array(0);

  function reserve(count: number): void {
    buffer.reserve(count * PAIRS_MAX_OF_BUCKET);
    const words = count * HASH_WORDS * PAIRS_MAX_OF_BUCKET;
    if (roots.length < words) roots = new Uint32Array(2 * words);
  }

  function order({ refs, slots }: FreshBuckets, i: number): void {
    push(ordered.refs, refs.values[i] as number);
    push(ordered.slots, slots.values[i] as number);
  }

  /** Appends the entries of all buckets of this width to `into`, as that many leaves. */
  function gather(fresh: FreshBuckets, from: number, width: number, into: Uint32Array, at: number): number {
    let to = at;
    for (let i = from; i < fresh.refs.length; i++) {
      const ref = fresh.refs.values[i] as number;
      const count = buckets.countOf(ref);
      if (count > width || (width > 1 && 2 * count <= width)) continue;
      order(fresh, i);
      const page = buckets.pageOf(ref);
      for (let e = 0, row = buckets.offsetOf(ref) + ENTRY; e < width; e++, row += ROW_WORDS, to += HASH_WORDS)
        for (let j = 0; j < HASH_WORDS; j++) into[to + j] = e < count ? (page[row + j] as number) : 0;
    }
    return to;
  }

  /** M of all buckets, to `roots`: from one memory to the other and back, three times. */
  function hashEntries(fresh: FreshBuckets, from: number): void {
    let [leaves, hashes]: readonly [Uint32Array, Uint32Array] = [buffer.input, roots];
    let words = 0;
    for (const width of WIDTHS_OF_PAIRS) {
      const end = gather(fresh, from, width, leaves, words);
      hashWords(leaves, hashes, end / PAIR_WORDS);
      words = end / 2;
      [leaves, hashes] = [hashes, leaves];
    }
    gather(fresh, from, 1, roots, words);
  }

  function fillTable(ref: number, input: Uint32Array, at: number): void {
    const [page, offset, count] = [buckets.pageOf(ref), buckets.offsetOf(ref), buckets.countOf(ref)];
    for (let e = 0, row = offset; e < BUCKET_KEYS_MAX; e++, row += ROW_WORDS) {
      input[at + 2 * e] = e < count ? swapBytes(page[row] as number) : 0;
      input[at + 2 * e + 1] = e < count ? swapBytes(page[row + 1] as number) : 0;
    }
  }

  function hashOrdered(): void {
    const { input, output } = buffer;
    const { values: refs } = ordered.refs;
    const count = ordered.refs.length;
    for (let i = 0; i < count; i++) fillTable(refs[i] as number, input, i * PAIR_WORDS);
    buffer.hash(count);
    for (let i = 0; i < count; i++) {
      const [pair, hash] = [i * PAIR_WORDS, i * HASH_WORDS];
      for (let j = 0; j < HASH_WORDS; j++) {
        input[pair + j] = roots[hash + j] as number;
        input[pair + HASH_WORDS + j] = output[hash + j] as number;
      }
    }
    buffer.hash(count);
    for (let i = 0; i < count; i++) {
      const [pair, hash] = [i * PAIR_WORDS, i * HASH_WORDS];
      for (let j = 0; j < HASH_WORDS; j++) {
        input[pair + j] = output[hash + j] as number;
        input[pair + HASH_WORDS + j] = 0;
      }
      input[pair + HASH_WORDS] = buckets.countOf(refs[i] as number);
    }
    buffer.hash(count);
  }

  /** Writes the hashes of the buckets from `from` on to their slots. */
  function hashBuckets(fresh: FreshBuckets, from: number): void {
    const count = fresh.refs.length - from;
    if (count === 0) return;
    reserve(count);
    ordered.refs.length = ordered.slots.length = 0;
    hashEntries(fresh, from);
    hashLarge(fresh, from);
    hashOrdered();
    nodes.writeHashes(ordered.slots, buffer.output);
  }

  /** Buckets of more than eight keys, which share their prefix: one exists only if an attacker looked for such keys. */
  function hashLarge(fresh: FreshBuckets, from: number): void {
    for (let i = from; i < fresh.refs.length; i++) {
      const ref = fresh.refs.values[i] as number;
      if (buckets.countOf(ref) <= BUCKET_KEYS_MAX) continue;
      roots.set(largeRoot(ref), ordered.refs.length * HASH_WORDS);
      order(fresh, i);
    }
  }

  function largeRoot(ref: number): Uint32Array {
    const [page, count] = [buckets.pageOf(ref), buckets.countOf(ref)];
    let width = 1 << (32 - Math.clz32(count - 1));
    let words = new Uint32Array(width * HASH_WORDS);
    for (let e = 0; e < count; e++)
      words.set(page.subarray(e * ROW_WORDS + ENTRY, (e + 1) * ROW_WORDS), e * HASH_WORDS);
    for (; width > 1; width /= 2) {
      buffer.reserve(width / 2);
      buffer.input.set(words);
      buffer.hash(width / 2);
      words = buffer.output.slice(0, (width / 2) * HASH_WORDS);
    }
    return words;
  }

  return { hashBuckets };
}
