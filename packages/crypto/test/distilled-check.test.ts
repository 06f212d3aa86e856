/** Aggregates of distilled batches, on the caller's thread and on worker threads. */
import type { DistilledClaim } from '@slipstream/ports';
import { concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import { checkDistilledClaims } from '../src/native/distilled-check.ts';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  generateBlsSecretKey,
} from '../src/native/index.ts';
import { negated, sumCompressed, uncompressedKey } from './bls-points.ts';

const SIGNERS = Array.from({ length: 9 }, (_, i) => createBlsSigner(generateBlsSecretKey(sha256(uint32le(i)))));
const never = (): void => {};

function claimOf(name: number, from: number, to: number): DistilledClaim {
  const message = sha256(uint32le(100 + name));
  const some = SIGNERS.slice(from, to);
  return {
    message,
    keys: concatBytes(...some.map(({ publicKey }) => uncompressedKey(publicKey))),
    aggregate: sumCompressed(some.map(({ signCompressed }) => signCompressed(message))),
  };
}

const SOUND = [claimOf(0, 0, 9), claimOf(1, 0, 1), claimOf(2, 3, 8), claimOf(3, 2, 4)];
const [first, , third] = SOUND as [DistilledClaim, DistilledClaim, DistilledClaim, DistilledClaim];

describe('aggregates of distilled batches', () => {
  it('are checked with one pairing check if all hold', () => {
    expect(checkDistilledClaims(SOUND, never)).toEqual({ valid: [true, true, true, true], checks: 1 });
    expect(checkDistilledClaims([], never)).toEqual({ valid: [], checks: 0 });
  });

  it.each([
    ['another message', { ...third, message: first.message }],
    ['a key too few', { ...third, keys: third.keys.subarray(96) }],
    ['a key too many', { ...third, keys: concatBytes(third.keys, first.keys.subarray(0, 96)) }],
    ['a part of a key', { ...third, keys: third.keys.subarray(0, 400) }],
    ['no key', { ...third, keys: new Uint8Array(0) }],
    ['bytes that are no key', { ...third, keys: new Uint8Array(96).fill(1) }],
    ['an aggregate cut short', { ...third, aggregate: third.aggregate.subarray(1) }],
    ['an uncompressed aggregate', { ...third, aggregate: new Uint8Array(192) }],
  ])('fail with %s, and the others are judged for themselves', (_, bad) => {
    expect(checkDistilledClaims([first, bad, ...SOUND], never).valid).toEqual([true, false, true, true, true, true]);
  });

  it('of keys that cancel are false without a pairing', () => {
    const [one] = SIGNERS;
    const key = one?.publicKey as Uint8Array;
    const keys = concatBytes(uncompressedKey(key), uncompressedKey(negated(key)));
    const cancelling = { ...third, keys };
    expect(checkDistilledClaims([cancelling], never)).toEqual({ valid: [false], checks: 0 });
    expect(checkDistilledClaims([first, cancelling, third], never)).toEqual({ valid: [true, false, true], checks: 1 });
  });

  it('are judged alike by both verifiers', async () => {
    const inline = createInlineVerifier({ committees: [] });
    const threads = createWorkerVerifier({
      workers: 2,
      committees: [],
      onFailure(error) {
        throw error;
      },
    });
    const claims = [...SOUND, { ...third, message: first.message }];
    const verdicts = [true, true, true, true, false];
    expect(await inline.distilled.checkDistilled(claims, 'chunk')).toEqual(verdicts);
    expect(await threads.distilled.checkDistilled(claims, 'chunk')).toEqual(verdicts);
    expect(threads.stats().batchedStatements).toBe(5);
    const many = new Array(65).fill(first);
    await expect(threads.distilled.checkDistilled(many, 'chunk')).rejects.toThrow('at most 64');
    await threads.stop();
  });
});
