/** Shares of a distilled batch, on the caller's thread and on worker threads. */
import blst from '@chainsafe/blst';
import type { Share } from '@slipstream/ports';
import { concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  generateBlsSecretKey,
} from '../src/native/index.ts';
import { sumShares } from '../src/native/share-sum.ts';
import { negated, uncompressedKey } from './bls-points.ts';

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
