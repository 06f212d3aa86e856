/**
 * The buckets of a key table, and the directory from the high bits of a hash to its bucket.
 *
 * A full bucket splits alone, so the table never stops to grow as a whole. The directory doubles when a bucket's depth reaches its own.
 */
import { assert } from '@slipstream/primitives';
import { WORD_BYTES } from '../typed-arrays/word-arrays.ts';
import {
  BUCKET_WORDS,
  COUNT,
  createSlab,
  DEPTH,
  FIRST_ENTRY,
  LIMIT,
  limitOf,
  place,
  SLOT_BITS,
  SLOTS,
  type Slab,
} from './key-bucket.ts';

/** Slabs of 230 KiB: few objects, so that finding a key misses the cache only once. */
const SLAB_BITS = 3;
const SLAB_MASK = (1 << SLAB_BITS) - 1;
/** A million buckets: three billion keys. */
const DEPTH_MAX = 32 - SLOT_BITS;

export interface BucketDirectory {
  readonly slabs: Slab[];
  /** Number of the bucket, by the high `depth` bits of a hash. */
  numbers: Int32Array;
  depth: number;
  buckets: number;
}

export function createBucketDirectory(): BucketDirectory {
  const directory = { slabs: [], numbers: new Int32Array(2), depth: 1, buckets: 0 };
  addBucket(directory, 0, 0);
  return directory;
}

export function bucketOf({ numbers, depth }: BucketDirectory, hash: number): number {
  return numbers[hash >>> (32 - depth)] as number;
}

export function slabOf({ slabs }: BucketDirectory, bucket: number): Slab {
  return slabs[bucket >>> SLAB_BITS] as Slab;
}

/** First word of the bucket in its slab. */
export function baseOf(bucket: number): number {
  return (bucket & SLAB_MASK) * BUCKET_WORDS;
}

export function directoryBytes({ slabs, numbers }: BucketDirectory): number {
  return (slabs.length << SLAB_BITS) * BUCKET_WORDS * WORD_BYTES + numbers.byteLength;
}

function addBucket(directory: BucketDirectory, depth: number, prefix: number): number {
  const bucket = directory.buckets;
  if ((bucket & SLAB_MASK) === 0) directory.slabs.push(createSlab(1 << SLAB_BITS));
  directory.buckets += 1;
  describeBucket(directory, bucket, depth, prefix);
  return bucket;
}

function describeBucket(directory: BucketDirectory, bucket: number, depth: number, prefix: number): void {
  const { words } = slabOf(directory, bucket);
  words[baseOf(bucket) + DEPTH] = depth;
  words[baseOf(bucket) + LIMIT] = limitOf(prefix);
}

/** Entries whose next hash bit is set move to a new bucket. */
export function splitBucket(directory: BucketDirectory, hash: number): void {
  const low = bucketOf(directory, hash);
  const slab = slabOf(directory, low);
  const base = baseOf(low);
  const { words, slots } = slab;
  const local = words[base + DEPTH] as number;
  assert(local < DEPTH_MAX, 'a bucket of the key table can split');
  if (local === directory.depth) doubleDirectory(directory);
  const prefix = local === 0 ? 0 : hash >>> (32 - local);
  const high = addBucket(directory, local + 1, prefix * 2 + 1);
  describeBucket(directory, low, local + 1, prefix * 2);
  const end = base + FIRST_ENTRY + 2 * (words[base + COUNT] as number);
  words[base + COUNT] = 0;
  slots.fill(0, 2 * base, 2 * base + SLOTS);
  for (let entry = base + FIRST_ENTRY; entry < end; entry += 2) {
    const address = words[entry] as number;
    const each = words[entry + 1] as number;
    if (((each >>> (31 - local)) & 1) === 1) place(slabOf(directory, high), baseOf(high), each, address);
    else place(slab, base, each, address);
  }
  const span = 2 ** (directory.depth - local);
  directory.numbers.fill(high, prefix * span + span / 2, (prefix + 1) * span);
}

function doubleDirectory(directory: BucketDirectory): void {
  const { numbers } = directory;
  directory.numbers = Int32Array.from({ length: numbers.length * 2 }, (_, i) => numbers[i >>> 1] as number);
  directory.depth += 1;
}
