import type { AccountSignature, Priority, Verifier } from '@slipstream/ports';
import { sha256, toHex, uint32le } from '@slipstream/primitives';
import {
  type BlockId,
  type ChunkId,
  chunkAckMessage,
  chunkMessage,
  epoch,
  type GenesisHash,
  height,
  proposalMessage,
  type StateDigest,
  type Subject,
  subjectMessage,
  view,
} from '@slipstream/types';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createCachedVerifier, createVerificationCache, VERIFICATION_CACHE_DEFAULTS } from '../src/index.ts';
import { createInlineVerifier, ed25519PublicKey, ed25519Sign } from '../src/native/index.ts';
import {
  committeeOf,
  committeeWith,
  EPOCH,
  MESSAGE,
  OTHER_MESSAGE,
  quorumOf,
  secretKeyOf,
  signaturesOf,
  vote,
  voteRequest,
} from './committee.ts';

const committee = committeeOf(4);
const signatures = signaturesOf(committee);
const good = signatures.good as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];

let asked: string[];
let cached: Verifier;

beforeEach(() => {
  asked = [];
  const { verifier } = committee.service;
  const counting: Verifier = {
    checkQuorum: (request) => verifier.checkQuorum(request),
    checkVote: (...request) => verifier.checkVote(...request),
    checkCertificate: (...request) => verifier.checkCertificate(...request),
    checkAggregate: (...request) => verifier.checkAggregate(...request),
    checkBatch(batch, priority) {
      asked.push(batch.map(({ kind }) => kind).join(' '));
      return verifier.checkBatch(batch, priority);
    },
    checkAccounts(batch, priority) {
      asked.push(`${batch.length} accounts`);
      return verifier.checkAccounts(batch, priority);
    },
  };
  cached = createCachedVerifier(counting, newCache());
});

function newCache() {
  const hashKey = sha256(MESSAGE).subarray(0, 16);
  return createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, entriesMax: 64, hashKey });
}

/** The test answers the requests to the verifier behind the cache. */
function verifierInHand() {
  const lanes: Priority[] = [];
  const answers: PromiseWithResolvers<boolean>[] = [];
  const verifier = createCachedVerifier(
    {
      ...committee.service.verifier,
      async checkBatch(_batch, priority) {
        lanes.push(priority);
        const answer = Promise.withResolvers<boolean>();
        answers.push(answer);
        return [await answer.promise];
      },
    },
    newCache(),
  );
  const ask = (priority: Priority) => verifier.checkVote(voteRequest(MESSAGE, 1, good[1]), priority);
  return { lanes, answers, ask };
}

describe('a verifier with a cache', () => {
  test('verifies a good vote once, and a bad one every time', async () => {
    for (let i = 0; i < 3; i++)
      expect(await cached.checkVote(voteRequest(MESSAGE, 1, good[1]), 'consensus')).toBe(true);
    expect(asked).toEqual(['vote']);
    for (let i = 0; i < 2; i++)
      expect(await cached.checkVote(voteRequest(MESSAGE, 2, good[1]), 'consensus')).toBe(false);
    expect(await cached.checkVote(voteRequest(OTHER_MESSAGE, 1, good[1]), 'consensus')).toBe(false);
    expect(asked).toHaveLength(4);
  });

  test('verifies one request once when it is made many times concurrently, good or bad', async () => {
    const ask = (signer: number) => cached.checkVote(voteRequest(MESSAGE, signer, good[1]), 'consensus');
    expect(await Promise.all([ask(1), ask(1), ask(2), ask(2), ask(1)])).toEqual([true, true, false, false, true]);
    expect(asked).toEqual(['vote', 'vote']);
    expect(await ask(2)).toBe(false);
    expect(asked).toHaveLength(3);
  });

  test('rejects every waiting caller when the verifier fails, and verifies again afterwards', async () => {
    const ask = () => cached.checkVote(voteRequest(MESSAGE.subarray(1), 1, good[1]), 'consensus');
    const answers = await Promise.allSettled([ask(), ask()]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ask()).rejects.toMatchObject({ code: 'invalid-request' });
    expect(asked).toHaveLength(2);
  });

  test('caches the certificate of a quorum that passed, for exactly its signers, and none of its votes', async () => {
    const { aggregate } = await cached.checkQuorum(quorumOf(signatures, new Set()));
    const request = { epoch: EPOCH, message: MESSAGE, signers: [0, 1, 2, 3], aggregate: aggregate as Uint8Array };
    expect(await cached.checkCertificate(request, 'block')).toBe(true);
    expect(asked).toEqual([]);
    expect(await cached.checkCertificate({ ...request, signers: [0, 1, 2] }, 'block')).toBe(false);
    expect(await cached.checkCertificate({ ...request, signers: [0, 1, 2, 3, 3] }, 'block')).toBe(false);
    expect(await cached.checkCertificate({ ...request, signers: [3, 2, 1, 0] }, 'block')).toBe(false);
    expect(await cached.checkCertificate({ ...request, signers: [] }, 'block')).toBe(false);
    expect(await cached.checkVote(voteRequest(MESSAGE, 1, good[1]), 'consensus')).toBe(true);
    expect(asked).toEqual([...Array(4).fill('certificate'), 'vote']);
  });

  test('caches nothing of a quorum that failed', async () => {
    await cached.checkQuorum(quorumOf(signatures, new Set([2])));
    expect(await cached.checkVote(voteRequest(MESSAGE, 1, good[1]), 'consensus')).toBe(true);
    expect(asked).toEqual(['vote']);
  });

  test('passes on a batch without what is cached or in the batch twice, and answers in order', async () => {
    const votes = [0, 1, 2, 3].map((signer) => ({
      kind: 'vote' as const,
      epoch: EPOCH,
      message: MESSAGE,
      signer,
      signature: good[signer === 2 ? 1 : signer] as Uint8Array,
    }));
    expect(await cached.checkVote(voteRequest(MESSAGE, 1, good[1]), 'block')).toBe(true);
    const batch = [...votes, ...votes];
    expect(await cached.checkBatch(batch, 'block')).toEqual([true, true, false, true, true, true, false, true]);
    expect(await cached.checkBatch(batch, 'block')).toEqual([true, true, false, true, true, true, false, true]);
    expect(asked).toEqual(['vote', 'vote vote vote', 'vote']);
  });

  test('verifies only the accounts that it has not cached, and answers in order', async () => {
    const batch: AccountSignature[] = [0, 1, 2, 3].map((index) => {
      const secret = sha256(uint32le(index));
      const signature = ed25519Sign(MESSAGE, secret);
      return { publicKey: ed25519PublicKey(secret), message: index === 2 ? OTHER_MESSAGE : MESSAGE, signature };
    });
    expect(await cached.checkAccounts(batch.slice(1, 3), 'client')).toEqual([true, false]);
    expect(await cached.checkAccounts(batch, 'client', 'peer')).toEqual([true, true, false, true]);
    expect(await cached.checkAccounts(batch, 'client')).toEqual([true, true, false, true]);
    expect(await cached.checkAccounts([batch[0] as AccountSignature], 'chunk')).toEqual([true]);
    expect(asked).toEqual(['2 accounts', '3 accounts', '1 accounts']);
  });
});

describe('epochs in the cache (W10)', () => {
  const next = committeeWith([10, 11, 12, 13].map(secretKeyOf));
  const both = createInlineVerifier({
    committees: [...committee.committees, { epoch: 1, publicKeys: next.publicKeys }],
  }).verifier;
  const all = [0, 1, 2, 3];
  const quorumBy = (by: typeof committee, epoch: number, message: Uint8Array) => ({
    epoch,
    message,
    votes: by.signers.map(({ sign }, signer) => vote(signer, sign(message))),
  });

  test('a certificate of epoch 1 by the same members with other keys is never taken for one of epoch 0', async () => {
    const verifier = createCachedVerifier(both, newCache());
    const { aggregate } = await verifier.checkQuorum(quorumBy(next, 1, MESSAGE));
    const request = { message: MESSAGE, signers: all, aggregate: aggregate as Uint8Array };
    expect(await verifier.checkCertificate({ ...request, epoch: 1 }, 'block')).toBe(true);
    expect(await verifier.checkCertificate({ ...request, epoch: 0 }, 'block')).toBe(false);
    expect(await verifier.checkCertificate({ ...request, epoch: 256 }, 'block')).toBe(false);
    const batch = [0, 1, 257].map((epoch) => ({ kind: 'certificate', ...request, epoch }) as const);
    expect(await verifier.checkBatch(batch, 'block')).toEqual([false, true, false]);
  });

  test('a vote of epoch 1 by the same member with another key is never taken for one of epoch 0', async () => {
    const verifier = createCachedVerifier(both, newCache());
    const request = { message: MESSAGE, signer: 2, signature: next.signers[2]?.sign(MESSAGE) as Uint8Array };
    const ask = (epoch: number) => verifier.checkVote({ ...request, epoch }, 'block');
    expect(await Promise.all([1, 0, 1, 0].map(ask))).toEqual([true, false, true, false]);
    expect(await Promise.all([1, 0, 1, 0].map(ask))).toEqual([true, false, true, false]);
  });

  const id = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const number = fc.nat(2 ** 32 - 1);
  const near = fc.constantFrom(0, 1, 255, 256, 257, 65_536, 2 ** 24, 2 ** 32 - 1);
  /** Of an epoch: every message that a validator signs and a verifier is asked about. */
  const messages = fc.record({ id, other: id, view: number, height: number }).map((drawn) => (at: number) => {
    const genesisHash = drawn.other as GenesisHash;
    const blockId = drawn.id as BlockId;
    const head = { epoch: epoch(at), view: view(drawn.view) } as const;
    const stateDigest = drawn.other as StateDigest;
    const subjects: Subject[] = [
      { kind: 'notarize', ...head, blockId },
      { kind: 'nullify', ...head },
      { kind: 'finalize', ...head, blockId },
      { kind: 'certify', ...head, height: height(drawn.height), blockId, stateDigest },
    ];
    return [
      ...subjects.map((subject) => subjectMessage(genesisHash, subject)),
      proposalMessage(genesisHash, head, 'normal', blockId),
      proposalMessage(genesisHash, head, 'optimistic', blockId),
      chunkMessage(genesisHash, epoch(at), drawn.id as ChunkId),
      chunkAckMessage(genesisHash, epoch(at), drawn.id as ChunkId),
    ];
  });

  test('every message that is cached names its epoch: those of two epochs differ, whatever their kinds', () => {
    fc.assert(
      fc.property(messages, fc.oneof(near, number), fc.oneof(near, number), (messagesOf, one, two) => {
        const distinct = new Set([...messagesOf(one), ...messagesOf(two)].map(toHex));
        expect(distinct.size).toBe(one === two ? 8 : 16);
      }),
    );
  });
});

describe('a check in flight', () => {
  test('is made again for a more urgent caller, who never waits for a less urgent lane', async () => {
    const { lanes, answers, ask } = verifierInHand();
    const chunks = ask('chunk');
    const block = ask('block');
    expect(lanes).toEqual(['chunk', 'block']);
    answers[1]?.resolve(true);
    expect(await block).toBe(true);
    expect(await ask('consensus')).toBe(true);
    answers[0]?.resolve(true);
    expect(await chunks).toBe(true);
    expect(lanes).toHaveLength(2);
  });

  test('is shared by all callers of the same or lower urgency; later ones join the newest and most urgent', async () => {
    const { lanes, answers, ask } = verifierInHand();
    const first = [ask('chunk'), ask('chunk'), ask('client')];
    const then = [ask('block'), ask('block'), ask('chunk'), ask('client')];
    expect(lanes).toEqual(['chunk', 'block']);
    answers[1]?.resolve(false);
    expect(await Promise.all(then)).toEqual([false, false, false, false]);
    answers[0]?.resolve(false);
    expect(await Promise.all(first)).toEqual([false, false, false]);
    expect(lanes).toHaveLength(2);
  });

  test('is forgotten once it is answered, but not the one that replaced it', async () => {
    const { lanes, answers, ask } = verifierInHand();
    const [chunk, block] = [ask('chunk'), ask('block')];
    answers[0]?.resolve(false);
    expect(await chunk).toBe(false);
    const joined = ask('block');
    answers[1]?.resolve(false);
    expect(await Promise.all([block, joined])).toEqual([false, false]);
    expect(lanes).toEqual(['chunk', 'block']);
    void ask('block');
    expect(lanes).toEqual(['chunk', 'block', 'block']);
  });

  test('that fails in another lane is made in the caller’s lane, once for all who wait in it', async () => {
    const { lanes, answers, ask } = verifierInHand();
    const block = ask('block');
    const chunks = [ask('chunk'), ask('chunk')];
    answers[0]?.reject(new Error('the block lane is full'));
    await expect(block).rejects.toThrow('the block lane is full');
    expect(lanes).toEqual(['block', 'chunk']);
    answers[1]?.resolve(true);
    expect(await Promise.all(chunks)).toEqual([true, true]);
  });
});
