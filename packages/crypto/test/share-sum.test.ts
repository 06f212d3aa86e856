/** Shares of a distilled batch, on the caller's thread and on worker threads. */
import blst from '@chainsafe/blst';
import type { Share } from '@slipstream/ports';
import { concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  generateBlsSecretKey,
} from '../src/native/index.ts';
import { sumShares } from '../src/native/share-sum.ts';
import { negated, uncompressedKey } from './bls-points.ts';

afterEach(() => void vi.restoreAllMocks());

const SECRETS = Array.from({ length: 9 }, (_, i) => generateBlsSecretKey(sha256(uint32le(i))));
const KEYS = SECRETS.map((secret) => createBlsSigner(secret).publicKey);
const MESSAGE = sha256(uint32le(77));
const never = (): void => {};

/** Of the signers from `from` to below `to`. */
function shareOf(from: number, to: number, message = MESSAGE): Share {
  const signatures = SECRETS.slice(from, to).map((secret) => blst.SecretKey.fromBytes(secret).sign(message));
  const signature = new Uint8Array(blst.aggregateSignatures(signatures).toBytes(false));
  return { keys: concatBytes(...KEYS.slice(from, to).map(uncompressedKey)), signature };
}

const GOOD = [shareOf(0, 1), shareOf(1, 5), shareOf(5, 6), shareOf(6, 9)];
const OTHER = sha256(uint32le(78));

function holds(aggregate: Uint8Array | undefined, keys: readonly Uint8Array[]): boolean {
  if (aggregate === undefined) return false;
  const sum = blst.aggregatePublicKeys(keys.map((key) => blst.PublicKey.fromBytes(key)));
  return blst.verify(MESSAGE, sum, blst.Signature.fromBytes(aggregate), true, true);
}

describe('a sum of shares', () => {
  it('takes one check if it holds', () => {
    const { aggregate, good, checks } = sumShares({ message: MESSAGE, shares: GOOD }, never);
    expect({ good, checks }).toEqual({ good: [true, true, true, true], checks: 1 });
    expect(holds(aggregate, KEYS)).toBe(true);
  });

  it.each([
    ['of another message', shareOf(1, 5, OTHER)],
    ['with a key too few', { ...shareOf(1, 5), keys: shareOf(1, 4).keys }],
    ['that is no point', { ...shareOf(1, 5), signature: new Uint8Array(192).fill(1) }],
    ['that is the identity', { ...shareOf(1, 5), signature: Uint8Array.of(0x40, ...new Uint8Array(191)) }],
    ['cut short', { ...shareOf(1, 5), signature: new Uint8Array(96) }],
    ['under bytes that are no key', { ...shareOf(1, 5), keys: new Uint8Array(96).fill(1) }],
  ])('finds a share %s, and has the others', (_, bad) => {
    const { aggregate, good } = sumShares(
      { message: MESSAGE, shares: [GOOD[0], bad, GOOD[2], GOOD[3]] as Share[] },
      never,
    );
    expect(good).toEqual([true, false, true, true]);
    expect(holds(aggregate, [...KEYS.slice(0, 1), ...KEYS.slice(5)])).toBe(true);
  });

  it('is nothing if all are false, their keys cancel, or there is none', () => {
    expect(sumShares({ message: MESSAGE, shares: [shareOf(0, 2, OTHER)] }, never)).toMatchObject({
      aggregate: undefined,
      good: [false],
    });
    const key = KEYS[0] as Uint8Array;
    const keys = concatBytes(uncompressedKey(key), uncompressedKey(negated(key)));
    const cancelling = { keys, signature: shareOf(0, 1).signature };
    expect(sumShares({ message: MESSAGE, shares: [cancelling] }, never)).toMatchObject({ aggregate: undefined });
    expect(sumShares({ message: MESSAGE, shares: [] }, never)).toMatchObject({ aggregate: undefined, checks: 0 });
  });

  it('finds each of several false shares among many, also if their errors cancel in the sum', () => {
    const shares = Array.from({ length: 40 }, (_, i) => GOOD[i % GOOD.length] as Share);
    const signature = (of: Share) => blst.Signature.fromBytes(of.signature);
    const wrong = signature(shareOf(0, 1, OTHER));
    const lessWrong = blst.Signature.fromBytes(negated(wrong.toBytes(true)));
    const off = (at: number, by: typeof wrong): void => {
      const sum = blst.aggregateSignatures([signature(shares[at] as Share), by]);
      shares[at] = { ...(shares[at] as Share), signature: new Uint8Array(sum.toBytes(false)) };
    };
    off(3, wrong);
    off(4, lessWrong);
    off(17, wrong);
    off(39, lessWrong);
    off(20, wrong);
    const { good, aggregate } = sumShares({ message: MESSAGE, shares }, never);
    expect(good.flatMap((isGood, i) => (isGood ? [] : [i]))).toEqual([3, 4, 17, 20, 39]);
    expect(aggregate).toBeDefined();
  });

  it('lets more urgent work wait for a sum of a few shares at most', () => {
    const shares = Array.from({ length: 100 }, (_, i) => (i === 57 ? shareOf(1, 5, OTHER) : (GOOD[i % 4] as Share)));
    let members = 0;
    let most = 0;
    const blindedSum = blst.aggregateWithRandomness;
    vi.spyOn(blst, 'aggregateWithRandomness').mockImplementation((of) => {
      members += of.length;
      most = Math.max(most, members);
      return blindedSum(of);
    });
    const { good } = sumShares({ message: MESSAGE, shares }, () => {
      members = 0;
    });
    expect(good.indexOf(false)).toBe(57);
    expect(good.lastIndexOf(false)).toBe(57);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(16);
  });

  it('is the same by both verifiers, which refuse a list that holds no key', async () => {
    const inline = createInlineVerifier({ committees: [] });
    const threads = createWorkerVerifier({
      workers: 2,
      committees: [],
      onFailure(error) {
        throw error;
      },
    });
    const request = { message: MESSAGE, shares: [GOOD[0], shareOf(1, 5, OTHER), GOOD[2]] as Share[] };
    const expected = await inline.shares.sumShares(request, 'client');
    expect(expected.good).toEqual([true, false, true]);
    expect(await threads.shares.sumShares(request, 'client')).toEqual(expected);
    const empty = { message: MESSAGE, shares: [{ ...(GOOD[0] as Share), keys: new Uint8Array() }] };
    await expect(threads.shares.sumShares(empty, 'client')).rejects.toThrow('no list of keys');
    await threads.stop();
  });
});
