import { uint32le } from '@slipstream/primitives';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createVerificationCache, VERIFICATION_CACHE_DEFAULTS, type VerifiedSignature } from '../src/index.ts';
import { SIP_INPUT_BYTES_MAX } from '../src/sip-hash.ts';

function entry(name: number): VerifiedSignature {
  return { scheme: 1, domain: 0, publicKey: uint32le(7), message: uint32le(name), signature: uint32le(9) };
}

const HASH_KEY = Uint8Array.from({ length: 16 }, (_, i) => i);

function cacheOf(entriesMax: number, issuerEntriesMax = entriesMax) {
  const cache = createVerificationCache({ entriesMax, issuerEntriesMax, hashKey: HASH_KEY });
  const add = (names: readonly number[], issuer?: string): void => {
    for (const name of names) cache.add(entry(name), issuer);
  };
  /** Those still present; asking uses them, in this order. */
  const kept = (names: readonly number[]): number[] => names.filter((name) => cache.has(entry(name)));
  return { ...cache, add, kept };
}

describe('the verification cache', () => {
  test('contains the added entries, and counts hits, misses, size and evictions exactly', () => {
    const cache = cacheOf(4);
    cache.add([1, 2]);
    expect(cache.kept([1, 2, 3])).toEqual([1, 2]);
    expect(cache.stats()).toMatchObject({ size: 2, hits: 2, misses: 1, evictions: 0 });
    cache.add([3, 4, 5]);
    expect(cache.stats()).toMatchObject({ size: 4, evictions: 1 });
  });

  test('binds scheme, domain, key, message, signature and their boundaries', () => {
    const base: VerifiedSignature = {
      scheme: 1,
      domain: 2,
      publicKey: new Uint8Array([1, 2, 3]),
      message: new Uint8Array([4, 5]),
      signature: new Uint8Array([6, 7, 8, 9]),
    };
    const cache = createVerificationCache({ entriesMax: 4, issuerEntriesMax: 4, hashKey: HASH_KEY });
    cache.add(base);
    expect(cache.has({ ...base, publicKey: base.publicKey.slice() })).toBe(true);
    const others: Partial<VerifiedSignature>[] = [
      { scheme: 2 },
      { domain: 1 },
      { scheme: 2, domain: 1 },
      { publicKey: new Uint8Array([1, 2]), message: new Uint8Array([3, 4, 5]) },
      { message: new Uint8Array([4, 5, 6]), signature: new Uint8Array([7, 8, 9]) },
      { message: new Uint8Array([4, 5, 0]) },
      { signature: new Uint8Array([6, 7, 8, 9, 0]) },
      { signature: new Uint8Array([6, 7, 8]) },
      { publicKey: new Uint8Array(0), message: new Uint8Array(0), signature: new Uint8Array(0) },
    ];
    for (const other of others) expect(cache.has({ ...base, ...other })).toBe(false);
    for (const name of ['publicKey', 'message', 'signature'] as const) {
      for (let bit = 0; bit < 8 * base[name].length; bit++) {
        const changed = base[name].slice();
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(cache.has({ ...base, [name]: changed })).toBe(false);
      }
    }
  });

  test('confuses no entries: 2^17 present and 2^17 absent ones, of which most share a bucket', () => {
    const count = 2 ** 17;
    const cache = cacheOf(count);
    for (let name = 0; name < count; name++) cache.add([name]);
    let forged = 0;
    for (let name = count; name < 2 * count; name++) if (cache.has(entry(name))) forged += 1;
    expect(forged).toBe(0);
    expect(cache.stats()).toMatchObject({ size: count, hits: 0, misses: count });
  });

  test('evicts the least recently added entry on probation first', () => {
    const cache = cacheOf(4);
    cache.add([1, 2, 3, 4, 5, 6]);
    expect(cache.kept([1, 2, 3, 4, 5, 6])).toEqual([3, 4, 5, 6]);
  });

  test('protects entries used again from any number of new ones', () => {
    const cache = cacheOf(10);
    cache.add([1, 2, 3, 4]);
    expect(cache.kept([1, 2, 3])).toEqual([1, 2, 3]);
    cache.add(Array.from({ length: 1000 }, (_, index) => 100 + index));
    expect(cache.kept([1, 2, 3, 4])).toEqual([1, 2, 3]);
  });

  test('protects four fifths at most; the least recently used of them return to probation', () => {
    const cache = cacheOf(10);
    cache.add([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    cache.kept([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // Protected: 2 to 9. On probation: 10, and before it 1, which 9 displaced.
    cache.add([11]);
    expect(cache.kept([10])).toEqual([]);
    expect(cache.kept([1])).toEqual([1]);
    // Now 1 displaced 2, which is before 11.
    cache.add([12]);
    expect(cache.kept([11])).toEqual([]);
    expect(cache.kept([2, 3, 4, 5, 6, 7, 8, 9, 1, 12])).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 1, 12]);
  });

  test('ignores a repeated insertion, which is no use', () => {
    const cache = cacheOf(4);
    cache.add([1, 2, 3, 4, 1, 1, 5]);
    expect(cache.kept([1])).toEqual([]);
    expect(cache.stats()).toMatchObject({ size: 4, evictions: 1 });
  });

  test('evicts the oldest entries of an issuer that fills its share, and no other issuer’s', () => {
    const cache = cacheOf(10, 3);
    cache.add([1, 2], 'peer a');
    cache.add([3]);
    cache.add([11, 12, 13, 14, 15, 16, 17, 18], 'peer b');
    expect(cache.kept([1, 2, 3])).toEqual([1, 2, 3]);
    expect(cache.kept([11, 12, 13, 14, 15, 16, 17, 18])).toEqual([16, 17, 18]);
    expect(cache.stats()).toMatchObject({ size: 6, evictions: 5 });
  });

  test('counts used entries in an issuer’s share too: protection does not avoid it', () => {
    const cache = cacheOf(10, 3);
    cache.add([1, 2, 3], 'peer a');
    cache.kept([1, 2, 3]);
    cache.add([4, 5], 'peer a');
    expect(cache.kept([1, 2, 3, 4, 5])).toEqual([3, 4, 5]);
  });

  test('retains no state of past issuers', () => {
    const cache = cacheOf(4, 2);
    for (let name = 0; name < 1000; name++) cache.add([name], `peer ${name}`);
    expect(cache.kept([995, 996, 997, 998, 999])).toEqual([996, 997, 998, 999]);
  });

  test('does not store an entry that is too large to be hashed', () => {
    const cache = createVerificationCache({ entriesMax: 4, issuerEntriesMax: 4, hashKey: HASH_KEY });
    const large = { ...entry(1), message: new Uint8Array(SIP_INPUT_BYTES_MAX) };
    cache.add(large);
    expect(cache.has(large)).toBe(false);
    expect(cache.stats().size).toBe(0);
  });

  test('passes over 256 used entries at most for a new one, and evicts the next', () => {
    const cache = cacheOf(1000);
    const names = Array.from({ length: 1000 }, (_, name) => name);
    cache.add(names);
    cache.kept(names);
    cache.add([1000]);
    expect(cache.kept([...names, 1000])).toEqual([...names, 1000].filter((name) => name !== 256));
  });

  test('demotes protected entries that were not used since, before those that were', () => {
    const cache = cacheOf(10);
    const protectedNames = [1, 2, 3, 4, 5, 6, 7, 8];
    cache.add([...protectedNames, 9, 10]);
    cache.kept(protectedNames);
    cache.add([11, 12]);
    // All eight are protected; 1 and 2 are used again.
    expect(cache.kept([1, 2, 11])).toEqual([1, 2, 11]);
    cache.add([13, 14]);
    // 11 took the place of 3, the oldest that was not used again.
    cache.add([15]);
    expect(cache.kept([1, 2, 3, 4, 11])).toEqual([1, 2, 4, 11]);
  });

  test('takes at most 80 bytes per entry with its default limits', () => {
    const cache = createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey: HASH_KEY });
    expect(cache.stats().bytes / VERIFICATION_CACHE_DEFAULTS.entriesMax).toBeLessThanOrEqual(80);
  });

  test('finds an entry under another key only when it was added there', () => {
    const [one, other] = [HASH_KEY, HASH_KEY.map((byte) => byte ^ 1)].map((hashKey) =>
      createVerificationCache({ entriesMax: 4, issuerEntriesMax: 4, hashKey }),
    );
    one?.add(entry(1));
    expect([one?.has(entry(1)), other?.has(entry(1))]).toEqual([true, false]);
  });

  test('occupies the same memory full and empty', () => {
    const cache = cacheOf(100);
    const { bytes } = cache.stats();
    cache.add(Array.from({ length: 300 }, (_, index) => index));
    expect(cache.stats()).toMatchObject({ size: 100, bytes });
  });

  test('agrees with a plain model of two segments with second chances for any sequence of calls', () => {
    const operation = fc.record({ add: fc.boolean(), name: fc.nat(30), issuer: fc.constantFrom(undefined, 'a', 'b') });
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 12 }),
        fc.array(operation, { maxLength: 200 }),
        (entriesMax, operations) => {
          const cache = createVerificationCache({ entriesMax, issuerEntriesMax: 5, hashKey: HASH_KEY });
          const model = createModel(entriesMax, 5);
          for (const { add, name, issuer } of operations) {
            if (add) {
              cache.add(entry(name), issuer);
              model.add(name, issuer);
            } else expect(cache.has(entry(name))).toBe(model.has(name));
            expect(cache.stats().size).toBe(model.size());
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** The same rules over arrays, newest first. */
function createModel(entriesMax: number, issuerEntriesMax: number) {
  type Item = { name: number; issuer: string | undefined; added: number; used: boolean };
  let probation: Item[] = [];
  let protectedItems: Item[] = [];
  let clock = 0;
  const all = (): Item[] => [...probation, ...protectedItems];
  const drop = (item: Item | undefined): void => {
    probation = probation.filter((each) => each !== item);
    protectedItems = protectedItems.filter((each) => each !== item);
  };
  const unused = (item: Item | undefined): Item => ({ ...(item as Item), used: false });
  function protectOldest(): void {
    protectedItems.unshift(unused(probation.pop()));
    if (protectedItems.length <= Math.floor(entriesMax * 0.8)) return;
    while (protectedItems.at(-1)?.used) protectedItems.unshift(unused(protectedItems.pop()));
    probation.unshift(unused(protectedItems.pop()));
  }
  return {
    size: () => all().length,
    has(name: number): boolean {
      const item = all().find((each) => each.name === name);
      if (item) item.used = true;
      return item !== undefined;
    },
    add(name: number, issuer: string | undefined): void {
      if (all().some((each) => each.name === name)) return;
      const own = issuer === undefined ? [] : all().filter((each) => each.issuer === issuer);
      if (own.length >= issuerEntriesMax)
        drop(own.reduce((oldest, each) => (each.added < oldest.added ? each : oldest)));
      else if (all().length >= entriesMax) {
        while (probation.at(-1)?.used) protectOldest();
        drop(probation.at(-1));
      }
      probation.unshift({ name, issuer, added: clock++, used: false });
    },
  };
}
