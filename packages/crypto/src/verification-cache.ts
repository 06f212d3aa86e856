/**
 * Verification cache: successful verifications are not repeated.
 *
 * - Only successes enter: a failure is charged to its sender, and a stored one would evict useful entries.
 * - An entry is the SipHash (128 bits, secret key) of scheme, domain, key, message and signature. Only a cache with the key can compute it, so
 *   an attacker cannot search for an input that equals an entry: each guess is a request, and hits with a chance of 2^17 in 2^128.
 *   Nothing is parsed before the lookup.
 * - Only a use protects a new entry (cache-segments.ts), so a flood evicts no entries in use. An issuer (the peer or address behind the
 *   verification) holds a bounded share, beyond which it evicts its own oldest.
 * - A hit reads a bucket and a slot, and only marks its entry. Fixed memory, without garbage.
 *
 * One thread owns the cache: the caller's, which looks up before it queues.
 */
import { assert } from '@slipstream/primitives';
import { createCacheSegments, SEGMENT_WORDS, SEGMENTS } from './cache-segments.ts';
import { createIssuerShares, ISSUER_LISTS, NO_ISSUER } from './issuer-shares.ts';
import { createSipHash, SIP_INPUT_BYTES_MAX } from './sip-hash.ts';

export interface VerifiedSignature {
  /** 0 to 255: different schemes never share an entry. */
  readonly scheme: number;
  /** The kind of signed thing, 0 to 255, where the message does not determine it. */
  readonly domain: number;
  /** May name a set of keys. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

interface VerificationCacheOptions {
  readonly entriesMax: number;
  readonly issuerEntriesMax: number;
  /** Secret random bytes, SIP_KEY_BYTES. */
  readonly hashKey: Uint8Array;
}

export const VERIFICATION_CACHE_DEFAULTS = {
  entriesMax: 100_000,
  issuerEntriesMax: 10_000,
} as const;

export interface VerificationCacheStats {
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  readonly bytes: number;
}

export interface VerificationCache {
  /** Counts as a use. */
  has(entry: VerifiedSignature): boolean;
  /** After a successful verification. `issuer`: the source charged; undefined: the node itself. */
  add(entry: VerifiedSignature, issuer?: string): void;
  stats(): VerificationCacheStats;
}

const NONE = -1;

/** A slot, in words: half a cache line. The hash's first word also chooses the bucket. */
const HASH = 0;
const BUCKET_NEXT = 4;
const SEGMENT = 5;
const SLOT_WORDS = SEGMENT + SEGMENT_WORDS;

export function createVerificationCache(options: VerificationCacheOptions): VerificationCache {
  const { entriesMax, issuerEntriesMax, hashKey } = options;
  assert(entriesMax >= 2 && entriesMax <= 2 ** 20, 'a cache has 2 to 2^20 entries');
  assert(issuerEntriesMax >= 1, 'an issuer has an entry');
  const bucketMask = 2 ** Math.ceil(Math.log2(entriesMax)) - 1;

  /** The last ones hold the ends of the segments' lists. */
  const slots = new Int32Array((entriesMax + SEGMENTS) * SLOT_WORDS);
  const buckets = new Int32Array(bucketMask + 1).fill(NONE);
  const segments = createCacheSegments(entriesMax, { memory: slots, stride: SLOT_WORDS, offset: SEGMENT });
  const issuers = createIssuerShares(entriesMax, issuerEntriesMax);
  const wanted = createWantedEntry(hashKey);
  const { hash } = wanted;

  let size = 0;
  let [hits, misses, evictions] = [0, 0, 0];

  function find(): number {
    const [word0, word1, word2, word3] = [hash[0], hash[1], hash[2], hash[3]];
    let at = buckets[(word0 as number) & bucketMask] as number;
    while (at !== NONE) {
      const start = at * SLOT_WORDS;
      const isEqual =
        slots[start] === word0 &&
        slots[start + 1] === word1 &&
        slots[start + 2] === word2 &&
        slots[start + 3] === word3;
      if (isEqual) return at;
      at = slots[start + BUCKET_NEXT] as number;
    }
    return NONE;
  }

  function has(entry: VerifiedSignature): boolean {
    const at = wanted.load(entry) ? find() : NONE;
    if (at === NONE) {
      misses++;
      return false;
    }
    hits++;
    segments.use(at);
    return true;
  }

  function add(entry: VerifiedSignature, issuer?: string): void {
    const list = issuer === undefined ? NO_ISSUER : wanted.listOf(issuer);
    if (!wanted.load(entry) || find() !== NONE) return;
    const at = takeSlot(list);
    const start = at * SLOT_WORDS;
    slots.set(hash, start + HASH);
    const bucket = (hash[0] as number) & bucketMask;
    slots[start + BUCKET_NEXT] = buckets[bucket] as number;
    buckets[bucket] = at;
    segments.enter(at);
    issuers.enter(at, list);
    size++;
  }

  /**
   * INVARIANT: the slots below `size` are in use; an evicted one is filled at once. Takes the oldest of an issuer with a full share, else a
   * new one, else the oldest unused on probation.
   */
  function takeSlot(list: number): number {
    const own = issuers.oldestOfFull(list);
    if (own === undefined && size < entriesMax) return size;
    const at = own ?? segments.oldestUnused();
    evict(at);
    return at;
  }

  function evict(at: number): void {
    const start = at * SLOT_WORDS;
    const bucket = (slots[start + HASH] as number) & bucketMask;
    const after = slots[start + BUCKET_NEXT] as number;
    if (buckets[bucket] === at) buckets[bucket] = after;
    else {
      let before = buckets[bucket] as number;
      while (slots[before * SLOT_WORDS + BUCKET_NEXT] !== at)
        before = slots[before * SLOT_WORDS + BUCKET_NEXT] as number;
      slots[before * SLOT_WORDS + BUCKET_NEXT] = after;
    }
    segments.leave(at);
    issuers.leave(at);
    size--;
    evictions++;
  }

  const bytes = slots.byteLength + buckets.byteLength + issuers.bytes + wanted.bytes;
  return { has, add, stats: () => ({ size, hits, misses, evictions, bytes }) };
}

interface WantedEntry {
  /** Four words: of the entry loaded last. */
  readonly hash: Int32Array;
  /** False: too large to be hashed. */
  load(entry: VerifiedSignature): boolean;
  /** Of an issuer. Changes the hash. */
  listOf(issuer: string): number;
  readonly bytes: number;
}

/** Scheme, domain, three lengths. */
const HEAD_BYTES = 8;

function createWantedEntry(hashKey: Uint8Array): WantedEntry {
  const { input, output, run, bytes } = createSipHash(hashKey);
  const head = new Int32Array(input.buffer, input.byteOffset, HEAD_BYTES / 4);

  function load({ scheme, domain, publicKey, message, signature }: VerifiedSignature): boolean {
    const messageAt = HEAD_BYTES + publicKey.length;
    const signatureAt = messageAt + message.length;
    const end = signatureAt + signature.length;
    if (end > SIP_INPUT_BYTES_MAX) return false;
    head[0] = scheme | (domain << 8) | (publicKey.length << 16);
    head[1] = message.length | (signature.length << 16);
    // A call costs as much as nine bytes.
    if (publicKey.length > 8) input.set(publicKey, HEAD_BYTES);
    else for (let i = 0; i < publicKey.length; i++) input[HEAD_BYTES + i] = publicKey[i] as number;
    input.set(message, messageAt);
    input.set(signature, signatureAt);
    run(end);
    return true;
  }

  function listOf(issuer: string): number {
    const length = Math.min(issuer.length, SIP_INPUT_BYTES_MAX);
    for (let i = 0; i < length; i++) input[i] = issuer.charCodeAt(i);
    run(length);
    return (output[0] as number) & (ISSUER_LISTS - 1);
  }

  return { hash: output, load, listOf, bytes };
}
