/**
 * Verification cache: successful verifications are not repeated.
 *
 * - Only successes enter: a failure is charged to its sender, and a stored one would evict useful entries.
 * - An entry binds scheme, domain, key, message and signature, byte for byte. A keyed hash chooses its bucket against aiming; a match is
 *   compared in full against forgery. Nothing is parsed before the lookup.
 * - Segmented LRU: only a second use protects a new entry, so a flood evicts no entries in use. An issuer (the peer or address behind the
 *   verification) holds a bounded share, beyond which it evicts its own oldest.
 * - Fixed memory. A hit is at least a hundred times faster than a verification (bench `cache`).
 *
 *   add --> probation --used again--> protected --evicted--> probation --evicted--> gone
 *
 * One thread owns the cache: the caller's, which looks up before it queues.
 */
import { assert } from '@slipstream/primitives';
import { HASH_KEY_BYTES, halfSipHash } from './half-sip-hash.ts';
import { createIndexLists, LINK_WORDS } from './index-lists.ts';
import { createIssuerShares } from './issuer-shares.ts';

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
  /** Key, message and signature. */
  readonly payloadBytesMax: number;
  readonly issuerEntriesMax: number;
  /** Secret random bytes. */
  readonly hashKey: Uint8Array;
}

export const VERIFICATION_CACHE_DEFAULTS = {
  entriesMax: 100_000,
  /** The largest repeated: a certificate (signers, message, aggregate) or a vote (key, message, signature). */
  payloadBytesMax: 288,
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

/** The rest is reserved for new entries. */
const PROTECTED_SHARE = 0.8;
const PROBATION = 0;
const PROTECTED = 1;
const NONE = -1;

/** A slot, in words: all that a hit reads is adjacent. Then the head (scheme, domain, three lengths) and the payload. */
const HASH = 0;
const BUCKET_NEXT = 1;
const SEGMENT = 2;
const SEGMENT_LINKS = 3;
const ENTRY = SEGMENT_LINKS + LINK_WORDS;
const HEAD_BYTES = 8;

export function createVerificationCache(options: VerificationCacheOptions): VerificationCache {
  const { entriesMax, payloadBytesMax, issuerEntriesMax, hashKey } = options;
  assert(entriesMax >= 2 && entriesMax <= 2 ** 20, 'a cache has 2 to 2^20 entries');
  assert(
    payloadBytesMax <= 0xffff && issuerEntriesMax >= 1,
    'lengths are kept in two bytes, and an issuer has an entry',
  );
  const slotWords = ENTRY + Math.ceil((HEAD_BYTES + payloadBytesMax) / 4);
  const protectedMax = Math.floor(entriesMax * PROTECTED_SHARE);
  const bucketMask = 2 * 2 ** Math.ceil(Math.log2(entriesMax)) - 1;

  /** The last two hold the ends of the segments' lists. */
  const slots = new Int32Array((entriesMax + 2) * slotWords);
  const buckets = new Int32Array(bucketMask + 1).fill(NONE);
  const segments = createIndexLists(entriesMax, 2, { memory: slots, stride: slotWords, offset: SEGMENT_LINKS });
  const issuers = createIssuerShares(entriesMax, issuerEntriesMax);
  const wanted = createWantedEntry(payloadBytesMax, hashKey);

  let size = 0;
  let protectedSize = 0;
  let [hits, misses, evictions] = [0, 0, 0];

  function find(): number {
    const { hash, words, count } = wanted;
    for (
      let at = buckets[hash & bucketMask] as number;
      at !== NONE;
      at = slots[at * slotWords + BUCKET_NEXT] as number
    ) {
      const start = at * slotWords;
      if (slots[start + HASH] !== hash) continue;
      // Equal heads mean equal lengths, so equal word counts.
      let same = 0;
      while (same < count && slots[start + ENTRY + same] === words[same]) same++;
      if (same === count) return at;
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
    use(at);
    return true;
  }

  function use(at: number): void {
    segments.remove(at);
    segments.pushFront(PROTECTED, at);
    if (slots[at * slotWords + SEGMENT] === PROTECTED) return;
    slots[at * slotWords + SEGMENT] = PROTECTED;
    protectedSize++;
    if (protectedSize <= protectedMax) return;
    const demoted = segments.last(PROTECTED) as number;
    segments.remove(demoted);
    segments.pushFront(PROBATION, demoted);
    slots[demoted * slotWords + SEGMENT] = PROBATION;
    protectedSize--;
  }

  function add(entry: VerifiedSignature, issuer?: string): void {
    if (!wanted.load(entry) || find() !== NONE) return;
    const at = takeSlot(issuer);
    const start = at * slotWords;
    const { hash, words, count } = wanted;
    for (let i = 0; i < count; i++) slots[start + ENTRY + i] = words[i] as number;
    slots[start + HASH] = hash;
    slots[start + BUCKET_NEXT] = buckets[hash & bucketMask] as number;
    buckets[hash & bucketMask] = at;
    slots[start + SEGMENT] = PROBATION;
    segments.pushFront(PROBATION, at);
    issuers.enter(at, issuer);
    size++;
  }

  /**
   * INVARIANT: the slots below `size` are in use; an evicted one is filled at once. Takes the oldest of an issuer with a full share, else a
   * new one, else the least recently used.
   */
  function takeSlot(issuer: string | undefined): number {
    const own = issuers.oldestOfFull(issuer);
    if (own === undefined && size < entriesMax) return size;
    const at = own ?? segments.last(PROBATION) ?? segments.last(PROTECTED);
    assert(at !== undefined, 'a full cache has a least recently used entry');
    evict(at);
    return at;
  }

  function evict(at: number): void {
    const start = at * slotWords;
    const bucket = (slots[start + HASH] as number) & bucketMask;
    const after = slots[start + BUCKET_NEXT] as number;
    if (buckets[bucket] === at) buckets[bucket] = after;
    else {
      let before = buckets[bucket] as number;
      while (slots[before * slotWords + BUCKET_NEXT] !== at) before = slots[before * slotWords + BUCKET_NEXT] as number;
      slots[before * slotWords + BUCKET_NEXT] = after;
    }
    segments.remove(at);
    if (slots[start + SEGMENT] === PROTECTED) protectedSize--;
    issuers.leave(at);
    size--;
    evictions++;
  }

  const bytes = slots.byteLength + buckets.byteLength + entriesMax * issuers.bytesPerEntry;
  return { has, add, stats: () => ({ size, hits, misses, evictions, bytes }) };
}

interface WantedEntry {
  readonly words: Int32Array;
  count: number;
  hash: number;
  /** False: larger than a slot. */
  load(entry: VerifiedSignature): boolean;
}

function createWantedEntry(payloadBytesMax: number, hashKey: Uint8Array): WantedEntry {
  assert(hashKey.length === HASH_KEY_BYTES, `a hash key has ${HASH_KEY_BYTES} bytes`);
  const key = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [key.getInt32(0, true), key.getInt32(4, true)];
  const words = new Int32Array(Math.ceil((HEAD_BYTES + payloadBytesMax) / 4));
  const bytes = new Uint8Array(words.buffer);

  function load({ scheme, domain, publicKey, message, signature }: VerifiedSignature): boolean {
    const end = HEAD_BYTES + publicKey.length + message.length + signature.length;
    if (end > HEAD_BYTES + payloadBytesMax) return false;
    const count = (end + 3) >> 2;
    // Pads the last word over an earlier entry's rest.
    words[count - 1] = 0;
    words[0] = scheme | (domain << 8) | (publicKey.length << 16);
    words[1] = message.length | (signature.length << 16);
    bytes.set(publicKey, HEAD_BYTES);
    bytes.set(message, HEAD_BYTES + publicKey.length);
    bytes.set(signature, HEAD_BYTES + publicKey.length + message.length);
    wanted.count = count;
    wanted.hash = halfSipHash(words, count, key0, key1) | 0;
    return true;
  }

  const wanted: WantedEntry = { words, count: 0, hash: 0, load };
  return wanted;
}
