/** Both verifiers; what only threads can do is below. */
import type { Worker } from 'node:worker_threads';
import type { AccountSignature } from '@slipstream/ports';
import { sha256, uint32le, utf8 } from '@slipstream/primitives';
import { afterEach, describe, expect, test } from 'vitest';
import {
  createInlineVerifier,
  createWorkerVerifier,
  ed25519PublicKey,
  ed25519Sign,
  type VerifierService,
} from '../src/native/index.ts';
import {
  committeeOf,
  EPOCH,
  MESSAGE,
  OTHER_MESSAGE,
  quorumOf,
  secretKeyOf,
  signaturesOf,
  voteRequest,
} from './committee.ts';

const committee = committeeOf(10);
const signatures = signaturesOf(committee);
const services: VerifierService[] = [];

function keep(service: VerifierService): VerifierService {
  services.push(service);
  return service;
}
const failures: Error[] = [];
const onFailure = (error: Error): void => void failures.push(error);
const common = { committees: committee.committees, secretKey: secretKeyOf(0) };
const inThreads = (workers: number) => keep(createWorkerVerifier({ ...common, workers, onFailure }));

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  expect(failures.splice(0)).toEqual([]);
});

function accounts(count: number): AccountSignature[] {
  return Array.from({ length: count }, (_, index) => {
    const secret = sha256(uint32le(index));
    const message = utf8(`transaction ${index}`);
    return { publicKey: ed25519PublicKey(secret), message, signature: ed25519Sign(message, secret) };
  });
}

const kinds = {
  inline: () => keep(createInlineVerifier(common)),
  'one thread': () => inThreads(1),
  'two threads': () => inThreads(2),
};

describe.each(Object.entries(kinds))('a verifier (%s)', (_, create) => {
  test('signs in order, uncompressed, under its own public key', async () => {
    const { signer, verifier } = create();
    expect(signer.publicKey).toEqual(committee.publicKeys[0]);
    const [first, second] = (await signer.sign([MESSAGE, OTHER_MESSAGE])) as [Uint8Array, Uint8Array];
    expect(first).toEqual(signatures.good[0]);
    expect(await verifier.checkVote(voteRequest(OTHER_MESSAGE, 0, second), 'consensus')).toBe(true);
    expect(await verifier.checkVote(voteRequest(MESSAGE, 0, second), 'consensus')).toBe(false);
    expect(await verifier.checkVote(voteRequest(MESSAGE, 1, first), 'consensus')).toBe(false);
    expect(await verifier.checkVote(voteRequest(MESSAGE, 0, first.subarray(1)), 'consensus')).toBe(false);
  });

  test('forms certificates and finds offenders', async () => {
    const { verifier, stats } = create();
    const good = await verifier.checkQuorum(quorumOf(signatures, new Set()));
    const request = {
      epoch: EPOCH,
      message: MESSAGE,
      signers: [...Array(10).keys()],
      aggregate: good.aggregate as Uint8Array,
    };
    expect(await verifier.checkCertificate(request, 'block')).toBe(true);
    expect(await verifier.checkCertificate({ ...request, signers: [1, 2] }, 'block')).toBe(false);
    const bad = await verifier.checkQuorum(quorumOf(signatures, new Set([3, 7])));
    expect(bad).toMatchObject({ aggregate: undefined, offenders: [3, 7], verified: [0, 1, 2, 4, 5, 6, 8, 9] });
    expect(stats()).toMatchObject({ quorums: 2, bisections: 1, offenders: 2, pairingChecks: 3 + bad.checks });
  });

  test('judges account signatures in order', async () => {
    const { verifier, stats } = create();
    const batch = accounts(40).map((entry, index) => (index % 7 === 3 ? { ...entry, message: MESSAGE } : entry));
    const answers = await verifier.checkAccounts(batch, 'client');
    expect(answers).toEqual(batch.map((_entry, index) => index % 7 !== 3));
    expect(await verifier.checkAccounts([], 'client')).toEqual([]);
    expect(stats()).toMatchObject({
      accountSignatures: 40,
      accountSignaturesRefused: 6,
      queuedRequests: 0,
      queuedBytes: 0,
    });
  });

  test('rejects invalid requests, and continues to work', async () => {
    const { verifier, signer } = create();
    await expect(
      verifier.checkVote(voteRequest(MESSAGE, 10, signatures.good[0] as Uint8Array), 'block'),
    ).rejects.toMatchObject({
      code: 'invalid-request',
    });
    await expect(signer.sign([new Uint8Array(5)])).rejects.toMatchObject({ code: 'invalid-request' });
    expect(await signer.sign([MESSAGE])).toHaveLength(1);
  });

  test('after stop rejects everything; stop is idempotent', async () => {
    const service = create();
    await service.stop();
    await service.stop();
    await expect(service.signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'stopped' });
    await expect(service.verifier.checkAccounts(accounts(1), 'client')).rejects.toMatchObject({ code: 'stopped' });
  });
});

test('a verifier without a secret key does not sign', async () => {
  const { committees } = common;
  for (const service of [
    keep(createInlineVerifier({ committees })),
    keep(createWorkerVerifier({ committees, workers: 1, onFailure })),
  ]) {
    await expect(service.signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'no-secret-key' });
    expect(service.signer.publicKey).toHaveLength(0);
  }
});

test('a verifier is not created with an invalid committee key, or without threads', () => {
  const publicKeys = [...committee.publicKeys.slice(0, 3), new Uint8Array(48)];
  const committees = [{ epoch: 7, publicKeys }];
  const code = { code: 'invalid-public-key', data: { epoch: 7, index: 3 } };
  expect(() => createInlineVerifier({ committees })).toThrow(expect.objectContaining(code));
  expect(() => createWorkerVerifier({ committees, workers: 1, onFailure })).toThrow(expect.objectContaining(code));
  expect(() => createWorkerVerifier({ ...common, workers: 0, onFailure })).toThrow('1 to 64 threads');
});

/** Signatures that take a thread some 30 ms: the maximum of one call. */
const HELD_BY = 64;
/** Such calls in a row, so that this thread may stall for a while too. */
const HELD_TIMES = 8;

describe('on threads', () => {
  test('own signing and consensus overtake account signatures that came first', async () => {
    const { verifier, signer } = inThreads(1);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    await signer.sign([MESSAGE]);
    // Busy until all are queued, however slowly this thread sends them.
    const busy = Array.from({ length: HELD_TIMES }, () => signer.sign(Array<Uint8Array>(HELD_BY).fill(MESSAGE)));
    await Promise.all([
      ...busy,
      verifier.checkAccounts(accounts(600), 'client').then(note('client')),
      verifier.checkAccounts(accounts(8), 'chunk').then(note('chunk')),
      verifier.checkVote(voteRequest(MESSAGE, 1, signatures.good[1] as Uint8Array), 'block').then(note('block')),
      verifier.checkQuorum(quorumOf(signatures, new Set())).then(note('consensus')),
      signer.sign([MESSAGE]).then(note('sign')),
    ]);
    expect(order).toEqual(['sign', 'consensus', 'block', 'chunk', 'client']);
  });

  test('a good quorum and own signing overtake the bisection of a bad one that came first', async () => {
    const { verifier, signer } = inThreads(1);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    await signer.sign([MESSAGE]);
    await Promise.all([
      verifier.checkQuorum(quorumOf(signatures, new Set([0, 2, 4, 6, 8]))).then(note('bad')),
      verifier.checkQuorum(quorumOf(signatures, new Set())).then(note('good')),
      signer.sign([MESSAGE]).then(note('sign')),
    ]);
    expect(order).toEqual(['sign', 'good', 'bad']);
  });

  test('a full lane rejects, and no other lane is affected', async () => {
    const { verifier, signer } = inThreads(1);
    const large = { ...(accounts(1)[0] as AccountSignature), message: new Uint8Array(30 * 1024 * 1024) };
    const answers = await Promise.allSettled([
      verifier.checkAccounts([large], 'client'),
      verifier.checkAccounts([large], 'client'),
      verifier.checkAccounts([large], 'client'),
      verifier.checkAccounts([large], 'chunk'),
      signer.sign([MESSAGE]),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(answers[2]).toMatchObject({ reason: { code: 'queue-full' } });
  });

  test('stopping rejects the checks in flight', async () => {
    const service = inThreads(2);
    const waiting = service.verifier.checkAccounts(accounts(500), 'client');
    const stopped = expect(waiting).rejects.toMatchObject({ code: 'stopped' });
    await service.stop();
    await stopped;
  });

  test('a dead thread fails everything at once, and is reported once', async () => {
    const reported: Error[] = [];
    const threads: Worker[] = [];
    const note = (thread: Worker): void => void threads.push(thread);
    process.on('worker', note);
    const service = keep(
      createWorkerVerifier({ ...common, workers: 2, onFailure: (error) => void reported.push(error) }),
    );
    await service.signer.sign([MESSAGE]);
    process.off('worker', note);
    expect(threads).toHaveLength(2);
    const waiting = service.verifier.checkAccounts(accounts(500), 'client');
    const failed = expect(waiting).rejects.toMatchObject({ code: 'worker-failed' });
    void threads[1]?.terminate();
    await failed;
    await expect(service.signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'worker-failed' });
    await service.stop();
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatchObject({ code: 'worker-failed' });
  });
});
