/**
 * Verification cache: what was verified with success need not be verified again.
 *
 * - Only successes enter. A failure costs whoever sent it; remembering it would let it push out what is useful.
 * - An entry binds scheme, domain, key, message and signature, byte for byte. Its bucket is chosen by a keyed hash, so nobody
 *   can aim at one; a find is compared in full, so nobody can forge one. Nothing is parsed before the lookup.
 * - Segmented LRU: a newcomer is on probation; only a second use protects it, and a flood of newcomers pushes out others on
 *   probation, never what is in use. An issuer (who had it verified: a peer, an address) holds a bounded share, and pays for
 *   more with his own oldest.
 * - Fixed memory: everything lies in typed arrays made once. A hit costs about 0.25 us where an Ed25519 verification costs
 *   75 and a BLS one 900 (bench `cache`).
 *
 *   add --> probation --used again--> protected --pushed out--> probation --pushed out--> gone
 *
 * One thread owns it: the caller's, who asks before he queues.
 */
import { assert } from '@slipstream/primitives';
import { HASH_KEY_BYTES, halfSipHash } from './half-sip-hash.ts';
import { createIndexLists } from './index-lists.ts';
import { createIssuerShares } from './issuer-shares.ts';

export interface VerifiedSignature {
  /** Which verifier judged it, 0 to 255: different schemes never share an entry. */
  readonly scheme: number;
  /** What kind of thing was signed, 0 to 255, where the message alone does not say it. */
  readonly domain: number;
  /** Whose signature: a key, or what names a set of keys. */
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

export interface VerificationCacheOptions {
  readonly entriesMax: number;
  /** Key, message and signature together; what is larger is never kept. */
  readonly payloadBytesMax: number;
  /** Entries of one issuer. */
  readonly issuerEntriesMax: number;
  /** Secret random bytes. */
  readonly hashKey: Uint8Array;
}

export const VERIFICATION_CACHE_DEFAULTS = {
  entriesMax: 100_000,
  /** The largest that is verified more than once: a certificate (signers, message, aggregate) or a vote (key, message, signature). */
  payloadBytesMax: 288,
  issuerEntriesMax: 10_000,
} as const;

export interface VerificationCacheStats {
  readonly size: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
  /** What it occupies, full or empty. */
  readonly bytes: number;
}

export interface VerificationCache {
  /** True when exactly this was added before and is still kept; that it was used is remembered. */
  has(entry: VerifiedSignature): boolean;
  /** Only after a verification that succeeded. `issuer` names on whose account it was made; none: the node's own. */
  add(entry: VerifiedSignature, issuer?: string): void;
  stats(): VerificationCacheStats;
}

/** Share of the entries that what was used twice may hold. The rest is always there for newcomers. */
const PROTECTED_SHARE = 0.8;
const PROBATION = 0;
const PROTECTED = 1;
const NONE = -1;
/** Scheme, domain, and the three lengths: two words. */
const HEAD_BYTES = 8;

export function createVerificationCache(options: VerificationCacheOptions): VerificationCache {
  const { entriesMax, payloadBytesMax, issuerEntriesMax, hashKey } = options;
  assert(entriesMax >= 2 && entriesMax <= 2 ** 24, 'a cache has 2 to 2^24 entries');
  assert(
    payloadBytesMax <= 0xffff && issuerEntriesMax >= 1,
    'lengths are kept in two bytes, and an issuer has an entry',
  );
  assert(hashKey.length === HASH_KEY_BYTES, `a hash key has ${HASH_KEY_BYTES} bytes`);
  const slotWords = Math.ceil((HEAD_BYTES + payloadBytesMax) / 4);
  const protectedMax = Math.floor(entriesMax * PROTECTED_SHARE);
  const bucketMask = 2 ** Math.ceil(Math.log2(entriesMax)) - 1;

  const slots = new Int32Array(entriesMax * slotWords);
  const slotHash = new Int32Array(entriesMax);
  const buckets = new Int32Array(bucketMask + 1).fill(NONE);
  const bucketNext = new Int32Array(entriesMax);
  const segmentOf = new Uint8Array(entriesMax);
  const segments = createIndexLists(entriesMax, 2);
  const issuers = createIssuerShares(entriesMax, issuerEntriesMax);
  const key = new DataView(hashKey.slice().buffer);
  const [key0, key1] = [key.getInt32(0, true), key.getInt32(4, true)];

  /** The entry looked up, as a slot would hold it. */
  const wanted = new Int32Array(slotWords);
  const wantedBytes = new Uint8Array(wanted.buffer);
  let wantedWords = 0;
  let wantedHash = 0;

  let size = 0;
  let protectedSize = 0;
  let [hits, misses, evictions] = [0, 0, 0];

  /** False when the entry is larger than a slot. */
  function load({ scheme, domain, publicKey, message, signature }: VerifiedSignature): boolean {
    const end = HEAD_BYTES + publicKey.length + message.length + signature.length;
    if (end > HEAD_BYTES + payloadBytesMax) return false;
    wantedWords = (end + 3) >> 2;
    wanted[0] = scheme | (domain << 8) | (publicKey.length << 16);
    wanted[1] = message.length | (signature.length << 16);
    // The last word is padded with zeros: what an earlier entry left there must not count.
    wanted[wantedWords - 1] = 0;
    wantedBytes.set(publicKey, HEAD_BYTES);
    wantedBytes.set(message, HEAD_BYTES + publicKey.length);
    wantedBytes.set(signature, HEAD_BYTES + publicKey.length + message.length);
    wantedHash = halfSipHash(wanted, wantedWords, key0, key1) | 0;
    return true;
  }

  function find(): number {
    for (let at = buckets[wantedHash & bucketMask] as number; at !== NONE; at = bucketNext[at] as number) {
      if (slotHash[at] === wantedHash && equalsWanted(at)) return at;
    }
    return NONE;
  }

  function equalsWanted(at: number): boolean {
    const start = at * slotWords;
    // The head holds the lengths, so equal heads mean equally many words.
    for (let i = 0; i < wantedWords; i++) if (slots[start + i] !== wanted[i]) return false;
    return true;
  }

  function has(entry: VerifiedSignature): boolean {
    const at = load(entry) ? find() : NONE;
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
    if (segmentOf[at] === PROTECTED) return;
    segmentOf[at] = PROTECTED;
    protectedSize++;
    if (protectedSize <= protectedMax) return;
    const demoted = segments.last(PROTECTED) as number;
    segments.remove(demoted);
    segments.pushFront(PROBATION, demoted);
    segmentOf[demoted] = PROBATION;
    protectedSize--;
  }

  function add(entry: VerifiedSignature, issuer?: string): void {
    if (!load(entry) || find() !== NONE) return;
    const at = takeSlot(issuer);
    slots.set(wanted.subarray(0, wantedWords), at * slotWords);
    slotHash[at] = wantedHash;
    bucketNext[at] = buckets[wantedHash & bucketMask] as number;
    buckets[wantedHash & bucketMask] = at;
    segmentOf[at] = PROBATION;
    segments.pushFront(PROBATION, at);
    issuers.enter(at, issuer);
    size++;
  }

  /**
   * A slot that holds nothing. INVARIANT: the slots in use are those below `size`; what is evicted is filled at once.
   * It is the issuer's oldest if he has his share, else a new one, else the one used least recently.
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
    const bucket = (slotHash[at] as number) & bucketMask;
    if (buckets[bucket] === at) buckets[bucket] = bucketNext[at] as number;
    else {
      let before = buckets[bucket] as number;
      while (bucketNext[before] !== at) before = bucketNext[before] as number;
      bucketNext[before] = bucketNext[at] as number;
    }
    segments.remove(at);
    if (segmentOf[at] === PROTECTED) protectedSize--;
    issuers.leave(at);
    size--;
    evictions++;
  }

  const bytesPerEntry = 4 * slotWords + 4 + 4 + 1 + 8 + issuers.bytesPerEntry;
  const bytes = entriesMax * bytesPerEntry + buckets.byteLength;
  return { has, add, stats: () => ({ size, hits, misses, evictions, bytes }) };
}
