/** What a broker's node has verified as a sum of shares is known as a batch's claim, and nothing else is. */
import type { DistilledClaim } from '@slipstream/ports';
import { concatBytes, sha256, uint32le } from '@slipstream/primitives';
import { beforeEach, expect, it } from 'vitest';
import { createKnownAggregates, createVerificationCache, type IndexedKeys, SIP_KEY_BYTES } from '../src/index.ts';
import { createBlsSigner, createInlineVerifier, generateBlsSecretKey } from '../src/native/index.ts';
import { sumCompressed, sumUncompressed, uncompressedKey } from './bls-points.ts';

const SIGNERS = Array.from({ length: 6 }, (_, i) => createBlsSigner(generateBlsSecretKey(sha256(uint32le(i)))));
const MESSAGE = sha256(uint32le(77));

const keysOf = (indices: readonly number[]) =>
  concatBytes(...indices.map((index) => uncompressedKey((SIGNERS[index] as (typeof SIGNERS)[0]).publicKey)));
const signaturesOf = (indices: readonly number[], message: Uint8Array) =>
  indices.map((index) => (SIGNERS[index] as (typeof SIGNERS)[0]).signCompressed(message));

function shareOf(indices: readonly number[], message = MESSAGE): IndexedKeys {
  const signature = sumUncompressed(signaturesOf(indices, message));
  return { indices: Uint32Array.from(indices), keys: keysOf(indices), signature };
}

const claimOf = (indices: readonly number[], message = MESSAGE): DistilledClaim => ({
  message,
  keys: keysOf(indices),
  aggregate: sumCompressed(signaturesOf(indices, message)),
});

function world() {
  const service = createInlineVerifier({ committees: [] });
  const hashKey = new Uint8Array(SIP_KEY_BYTES);
  const cache = createVerificationCache({ entriesMax: 16, issuerEntriesMax: 16, hashKey });
  const known = createKnownAggregates(service, cache);
  return {
    known,
    checks: () => service.stats().pairingChecks,
    sum: (shares: readonly IndexedKeys[]) => known.sumShares({ message: MESSAGE, shares }, 'client'),
    judge: (...claims: DistilledClaim[]) => known.distilled.checkDistilled(claims, 'chunk'),
  };
}

let { known, checks, sum, judge } = world();
beforeEach(() => {
  ({ known, checks, sum, judge } = world());
});

it('the batch of a sum that held needs no check, in whatever order its shares came', async () => {
  const { aggregate } = await sum([shareOf([1, 4]), shareOf([0]), shareOf([2, 5])]);
  const claim = claimOf([0, 1, 2, 4, 5]);
  expect(aggregate).toEqual(claim.aggregate);
  expect([await judge(claim), checks(), known.hits]).toEqual([[true], 1, 1]);
});

it('a false share is no part of what is known', async () => {
  await sum([shareOf([0, 1]), shareOf([2], sha256(uint32le(1))), shareOf([3])]);
  const before = checks();
  expect([await judge(claimOf([0, 1, 3])), checks() - before]).toEqual([[true], 0]);
  const lying = { ...claimOf([0, 1, 3]), keys: keysOf([0, 1, 2, 3]) };
  expect(await judge(lying)).toEqual([false]);
});

it.each<[string, DistilledClaim]>([
  ['another aggregate', { ...claimOf([0, 1, 2]), aggregate: claimOf([0, 1]).aggregate }],
  ['a signer more', { ...claimOf([0, 1, 2]), keys: keysOf([0, 1, 2, 3]) }],
  ['a signer less', { ...claimOf([0, 1, 2]), keys: keysOf([0, 1]) }],
  ['another signer', { ...claimOf([0, 1, 2]), keys: keysOf([0, 1, 3]) }],
  ['another message', { ...claimOf([0, 1, 2]), message: sha256(uint32le(5)) }],
])('a broker that lies on the same node, with %s, is refused, and the others beside it are not', async (_, lie) => {
  await sum([shareOf([0, 1]), shareOf([2])]);
  expect(await judge(claimOf([0, 1, 2]), lie, claimOf([4, 5]))).toEqual([true, false, true]);
  expect(known.hits).toBe(1);
});

it('a sum that held with one index twice makes nothing known: its keys are no list of signers', async () => {
  const { good } = await sum([shareOf([0]), shareOf([0, 1])]);
  expect(good).toEqual([true, true]);
  const before = checks();
  await judge(claimOf([0, 1]));
  expect([checks() - before, known.hits]).toEqual([1, 0]);
});

it('a sum that was false makes nothing known', async () => {
  const other = sha256(uint32le(9));
  await sum([shareOf([0], other), shareOf([1], other)]);
  expect(await judge({ ...claimOf([0, 1], other), message: MESSAGE })).toEqual([false]);
});
