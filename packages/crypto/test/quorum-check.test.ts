import type { QuorumRequest } from '@slipstream/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBlsSigner, createInlineVerifier } from '../src/native/index.ts';
import { cancelling, ERRORS, encodePoint, opposite, pointOf } from './colluders.ts';
import {
  committeeOf,
  EPOCH,
  MESSAGE,
  OTHER_MESSAGE,
  quorumOf,
  secretKeyOf,
  signaturesOf,
  vote,
  voteRequest,
} from './committee.ts';

/** All subsets take an hour of pairings; a part runs every time. */
const LONG = process.env.SLIPSTREAM_LONG !== undefined;
const ALL_SUBSETS_OF = LONG ? 16 : 5;
const LONG_MS_MAX = 3 * 60 * 60 * 1000;

describe('a quorum of good votes', () => {
  test('passes with one pairing check and gives the aggregate that verifies as a certificate', async () => {
    const committee = committeeOf(7);
    const result = await committee.service.verifier.checkQuorum(quorumOf(signaturesOf(committee), new Set()));
    expect(result).toMatchObject({ offenders: [], verified: [], checks: 1 });
    expect(result.aggregate).toHaveLength(96);
    const aggregate = result.aggregate as Uint8Array;
    const check = (signers: number[], message = MESSAGE, bytes = aggregate) =>
      committee.service.verifier.checkCertificate({ epoch: EPOCH, message, signers, aggregate: bytes }, 'consensus');
    expect(await check([0, 1, 2, 3, 4, 5, 6])).toBe(true);
    expect(await check([0, 1, 2, 3, 4, 5])).toBe(false);
    expect(await check([0, 1, 2, 3, 4, 5, 6], OTHER_MESSAGE)).toBe(false);
    expect(await check([6, 5, 4, 3, 2, 1, 0])).toBe(false);
    expect(await check([0, 1, 2, 3, 4, 5, 6, 6])).toBe(false);
    expect(await check([0, 1, 2, 3, 4, 5, 7])).toBe(false);
    expect(await check([])).toBe(false);
    expect(await check([0, 1, 2, 3, 4, 5, 6], MESSAGE, aggregate.subarray(1))).toBe(false);
    expect(await check([0, 1, 2, 3, 4, 5, 6], MESSAGE, encodePoint(pointOf(aggregate)))).toBe(false);
  });

  test('passes whatever the order of its votes', async () => {
    const committee = committeeOf(4);
    const request = quorumOf(signaturesOf(committee), new Set());
    const reversed: QuorumRequest = { ...request, votes: [...request.votes].reverse() };
    const [a, b] = [
      await committee.service.verifier.checkQuorum(request),
      await committee.service.verifier.checkQuorum(reversed),
    ];
    expect(b.aggregate).toEqual(a.aggregate);
  });

  test('needs no pairing check when every vote is known to be valid', async () => {
    const committee = committeeOf(3);
    const { good } = signaturesOf(committee);
    const votes = good.map((signature, signer) => vote(signer, signature, true));
    const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
    expect(result.checks).toBe(0);
    const signers = [0, 1, 2];
    const certificate = { epoch: EPOCH, message: MESSAGE, signers, aggregate: result.aggregate as Uint8Array };
    expect(await committee.service.verifier.checkCertificate(certificate, 'consensus')).toBe(true);
  });
});

describe('a quorum with bad votes', () => {
  const committee = committeeOf(LONG ? 512 : 64);
  const signatures = signaturesOf(committee);

  async function judge(size: number, bad: ReadonlySet<number>): Promise<void> {
    const { message, votes } = quorumOf(signatures, bad);
    const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message, votes: votes.slice(0, size) });
    expect(result.aggregate).toBeUndefined();
    expect(result.offenders).toEqual([...bad].sort((a, b) => a - b));
    expect(result.verified).toEqual([...Array(size).keys()].filter((signer) => !bad.has(signer)));
  }

  test(
    `names exactly the bad ones and proves all others, for every subset of up to ${ALL_SUBSETS_OF}`,
    async () => {
      for (let size = 1; size <= ALL_SUBSETS_OF; size++) {
        for (let subset = 1; subset < 2 ** size; subset++) {
          await judge(size, new Set([...Array(size).keys()].filter((signer) => (subset >> signer) & 1)));
        }
      }
    },
    LONG_MS_MAX,
  );

  test(
    'names exactly the bad ones and proves all others, for random subsets of larger quorums',
    async () => {
      const indices = [...Array(committee.signers.length).keys()];
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: indices.length }),
          fc.infiniteStream(fc.nat()),
          async (size, draws) => {
            const bad = new Set<number>();
            const count = 1 + ((draws.next().value as number) % Math.max(1, size >> 2));
            while (bad.size < count) bad.add((draws.next().value as number) % size);
            await judge(size, bad);
          },
        ),
        { numRuns: LONG ? 200 : 8 },
      );
    },
    LONG_MS_MAX,
  );

  test('blames no member for keys that cancel: two members whose keys sum to zero, with good votes', async () => {
    const secrets = [...Array(6).keys()].map(secretKeyOf);
    secrets[3] = opposite(secretKeyOf(2));
    const signers = secrets.map(createBlsSigner);
    const { verifier } = createInlineVerifier({
      committees: [{ epoch: EPOCH, publicKeys: signers.map(({ publicKey }) => publicKey) }],
    });
    for (const bad of [0, 1, 4, 5]) {
      const votes = signers.map(({ sign }, index) => vote(index, sign(index === bad ? OTHER_MESSAGE : MESSAGE)));
      const result = await verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
      expect(result.offenders).toEqual([bad]);
    }
  });

  test('blames the only vote not known to be valid without a further check', async () => {
    const committee = committeeOf(4);
    const { good, wrong } = signaturesOf(committee);
    const votes = good.map((signature, i) => vote(i, (i === 2 ? wrong[i] : signature) as Uint8Array, i !== 2));
    const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
    expect(result).toMatchObject({ offenders: [2], verified: [], checks: 1 });
  });

  test('blames undecodable and identity points without a pairing, and checks no other vote', async () => {
    const committee = committeeOf(6);
    const { good, wrong } = signaturesOf(committee);
    const identity = new Uint8Array(192);
    identity[0] = 0x40;
    const offCurve = (good[1] as Uint8Array).slice();
    offCurve[191] = (offCurve[191] as number) ^ 1;
    const tooLarge = (good[2] as Uint8Array).slice().fill(0xff, 1, 48);
    const compressed = pointOf(good[3] as Uint8Array).toBytes(true);
    const signatures = [identity, offCurve, tooLarge, compressed, wrong[4], good[5]] as Uint8Array[];
    const votes = signatures.map((signature, i) => vote(i, signature));
    const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
    expect(result).toMatchObject({ aggregate: undefined, offenders: [0, 1, 2, 3], verified: [], checks: 0 });
  });
});

describe('colluders whose errors cancel', () => {
  for (const [where, error] of Object.entries(ERRORS)) {
    test(`give a valid certificate, and are not marked valid one by one (error ${where})`, async () => {
      const committee = committeeOf(7);
      const { good } = signaturesOf(committee);
      const votes = cancelling(good, 1, 4, error()).map((signature, i) => vote(i, signature));
      const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
      expect(result).toMatchObject({ offenders: [], verified: [], checks: 1 });
      const aggregate = result.aggregate as Uint8Array;
      const signers = votes.map(({ signer }) => signer);
      expect(
        await committee.service.verifier.checkCertificate(
          { epoch: EPOCH, message: MESSAGE, signers, aggregate },
          'block',
        ),
      ).toBe(true);
      for (const { signer, signature } of votes) {
        const valid = await committee.service.verifier.checkVote(voteRequest(MESSAGE, signer, signature), 'consensus');
        expect(valid).toBe(signer !== 1 && signer !== 4);
      }
    });

    test(`are found one by one as soon as a third bad vote fails the sum (error ${where})`, async () => {
      const committee = committeeOf(16);
      const { good, wrong } = signaturesOf(committee);
      for (const [a, b, third] of [
        [0, 1, 15],
        [0, 15, 7],
        [14, 15, 0],
        [4, 5, 6],
        [8, 12, 1],
      ] as const) {
        const signatures = cancelling(good, a, b, error());
        signatures[third] = wrong[third] as Uint8Array;
        const votes = signatures.map((signature, i) => vote(i, signature));
        const result = await committee.service.verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes });
        expect(result.offenders).toEqual([a, b, third].sort((x, y) => x - y));
        expect(result.verified).toHaveLength(13);
      }
    });
  }
});

describe('a request that cannot be checked', () => {
  test('is rejected as the caller’s mistake', async () => {
    const committee = committeeOf(3);
    const { good } = signaturesOf(committee);
    const { verifier, signer } = committee.service;
    const twice = [vote(1, good[1] as Uint8Array), vote(1, good[1] as Uint8Array)];
    const invalid = { code: 'invalid-request' };
    await expect(verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes: twice })).rejects.toMatchObject(invalid);
    await expect(verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes: [] })).rejects.toMatchObject(invalid);
    await expect(
      verifier.checkQuorum({ epoch: EPOCH, message: MESSAGE, votes: [vote(3, good[1] as Uint8Array)] }),
    ).rejects.toMatchObject(invalid);
    await expect(
      verifier.checkVote(voteRequest(MESSAGE.subarray(1), 0, good[0] as Uint8Array), 'block'),
    ).rejects.toMatchObject(invalid);
    await expect(verifier.checkVote(voteRequest(MESSAGE, -1, good[0] as Uint8Array), 'block')).rejects.toMatchObject(
      invalid,
    );
    await expect(signer.sign([new Uint8Array(31)])).rejects.toMatchObject(invalid);
  });
});
