import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as equalBrowser from '../src/equal-browser.ts';
import * as equalNode from '../src/equal-node.ts';
import { chooseHashPairs, hashPairs } from '../src/hash-pairs-node.ts';
import { hashPairs as hashPairsPortable } from '../src/hash-pairs-portable.ts';
import * as hexBrowser from '../src/hex-browser.ts';
import * as hexNode from '../src/hex-node.ts';
import * as sha256Browser from '../src/sha256-browser.ts';
import * as sha256Node from '../src/sha256-node.ts';

/** Inside V8's heap and outside, and views of both. */
const bytes = fc
  .tuple(fc.uint8Array({ maxLength: 700 }), fc.nat(40))
  .map(([whole, from]) => (from % 2 === 0 ? whole : whole.subarray(from)));

describe('functions with an implementation each for Node and browsers', () => {
  it('encodes the same hexadecimal, and decodes it', () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const text = hexNode.encodeHex(value);
        expect(text).toBe(hexBrowser.encodeHex(value));
        expect(hexNode.decodeHex(text)).toEqual(Uint8Array.from(value));
        expect(hexBrowser.decodeHex(text)).toEqual(Uint8Array.from(value));
      }),
    );
  });

  it('finds the same bytes equal: copies, those with one other byte, and prefixes', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (value, at) => {
        const other = value.slice();
        const place = at % Math.max(1, other.length);
        other[place] = (other[place] ?? 0) ^ 1;
        for (const equal of [equalNode.longBytesEqual, equalBrowser.longBytesEqual]) {
          expect(equal(value, value.slice())).toBe(true);
          expect(equal(value, other)).toBe(value.length === 0);
          expect(equal(value, value.subarray(1))).toBe(value.length === 0);
        }
      }),
    );
  });

  it('gives the same hash, alone or at an offset of an array', () => {
    fc.assert(
      fc.property(bytes, fc.nat(20), (value, at) => {
        const digest = sha256Node.sha256(value);
        expect(digest).toEqual(sha256Browser.sha256(value));
        const [one, other] = [new Uint8Array(60), new Uint8Array(60)];
        sha256Node.writeSha256(value, one, at);
        sha256Browser.writeSha256(value, other, at);
        expect(one).toEqual(other);
        expect(one.slice(at, at + 32)).toEqual(digest);
      }),
    );
  });

  it('hashes pairs alike, any number of them, into a part of an array', () => {
    fc.assert(
      fc.property(fc.nat(70), fc.nat(3), fc.uint8Array({ minLength: 64, maxLength: 64 }), (count, at, seed) => {
        const pairs = Uint8Array.from({ length: 64 * count }, (_, i) => (seed[i % 64] as number) ^ (i >> 6));
        const [one, other] = [new Uint8Array(32 * count + 4), new Uint8Array(32 * count + 4)];
        hashPairs(pairs, one.subarray(at, at + 32 * count));
        hashPairsPortable(pairs, other.subarray(at, at + 32 * count));
        expect(one).toEqual(other);
        if (count > 0) expect(one.slice(at, at + 32)).toEqual(sha256Browser.sha256(pairs.subarray(0, 64)));
      }),
    );
  });
});

describe('hashing of pairs', () => {
  it('takes the portable form where the addon has no binary or errs', () => {
    const none = () => {
      throw new Error('no binary');
    };
    expect(chooseHashPairs(none)).toBe(hashPairsPortable);
    expect(chooseHashPairs(() => ({ hashInto: (_, hashes) => void hashes.fill(7) }))).toBe(hashPairsPortable);
  });

  it('takes the addon where it has a binary', () => {
    const load = () => createRequire(import.meta.url)('@chainsafe/hashtree');
    let hasBinary = true;
    try {
      load();
    } catch {
      hasBinary = false;
    }
    expect(hashPairs !== hashPairsPortable).toBe(hasBinary);
  });

  it.each([hashPairs, hashPairsPortable])('refuses lengths that do not fit', (hash) => {
    expect(() => hash(new Uint8Array(63), new Uint8Array(32))).toThrow('64 bytes each');
    expect(() => hash(new Uint8Array(128), new Uint8Array(32))).toThrow('32 bytes for its hash');
  });
});
