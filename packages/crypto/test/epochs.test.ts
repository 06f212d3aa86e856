/** Committees by epoch: who may sign for an epoch changes while a verifier runs. */
import { sha256, uint32le, utf8 } from '@slipstream/primitives';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import {
  createBlsSigner,
  createInlineVerifier,
  createWorkerVerifier,
  type VerifierService,
} from '../src/native/index.ts';
import { MESSAGE, secretKeyOf, vote } from './committee.ts';

const MEMBERS = 4;
const SIGNERS = [0, 1, 2];

/** Of an epoch: the members' keys are others in each. */
function membersOf(epoch: number) {
  const signers = Array.from({ length: MEMBERS }, (_, at) => createBlsSigner(secretKeyOf(100 * epoch + at)));
  return { epoch, signers, publicKeys: signers.map(({ publicKey }) => publicKey) };
}
const epochs = [membersOf(0), membersOf(1), membersOf(2)] as const;
const [first, second] = epochs;
type Members = ReturnType<typeof membersOf>;

const signature = ({ signers }: Members, signer: number, message = MESSAGE): Uint8Array =>
  (signers[signer] as (typeof signers)[number]).sign(message);
const quorum = (by: Members, epoch = by.epoch, message = MESSAGE) => ({
  epoch,
  message,
  votes: SIGNERS.map((signer) => vote(signer, signature(by, signer, message))),
});

const oracle = createInlineVerifier({ committees: epochs });
const aggregates = await Promise.all(
  epochs.map(async (by) => (await oracle.verifier.checkQuorum(quorum(by))).aggregate as Uint8Array),
);
const certificate = (by: Members, epoch = by.epoch) => ({
  epoch,
  message: MESSAGE,
  signers: SIGNERS,
  aggregate: aggregates[by.epoch] as Uint8Array,
});
const ballot = (by: Members, signer: number, epoch = by.epoch) => ({
  epoch,
  message: MESSAGE,
  signer,
  signature: signature(by, signer),
});

const services: VerifierService[] = [];
const failures: Error[] = [];
const onFailure = (error: Error): void => void failures.push(error);
function keep(service: VerifierService): VerifierService {
  services.push(service);
  return service;
}
const inThreads = (workers: number, secretKey: Uint8Array) =>
  keep(createWorkerVerifier({ committees: [first], secretKey, workers, onFailure }));
const kinds = {
  inline: (secretKey = secretKeyOf(0)) => keep(createInlineVerifier({ committees: [first], secretKey })),
  'one thread': (secretKey = secretKeyOf(0)) => inThreads(1, secretKey),
  'three threads': (secretKey = secretKeyOf(0)) => inThreads(3, secretKey),
};

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
  expect(failures.splice(0)).toEqual([]);
});

describe.each(Object.entries(kinds))('a verifier (%s)', (_, create) => {
  test('judges votes, certificates and quorums by the committee of their epoch (W10)', async () => {
    const { verifier, addCommittee } = create();
    addCommittee(1, second.publicKeys);
    for (const by of [first, second]) {
      const other = 1 - by.epoch;
      expect(await verifier.checkVote(ballot(by, 3), 'consensus')).toBe(true);
      expect(await verifier.checkVote(ballot(by, 3, other), 'consensus')).toBe(false);
      expect(await verifier.checkCertificate(certificate(by), 'consensus')).toBe(true);
      expect(await verifier.checkCertificate(certificate(by, other), 'consensus')).toBe(false);
      expect(await verifier.checkQuorum(quorum(by))).toMatchObject({ offenders: [], aggregate: aggregates[by.epoch] });
      expect(await verifier.checkQuorum(quorum(by, other))).toMatchObject({ offenders: SIGNERS, aggregate: undefined });
    }
    const mixed = [certificate(first), certificate(second), certificate(first, 1), certificate(second, 9)];
    const batch = mixed.map((each) => ({ kind: 'certificate', ...each }) as const);
    expect(await verifier.checkBatch(batch, 'block')).toEqual([true, true, false, false]);
  });

  test('finds votes and certificates of an unknown epoch false, and a quorum of one its caller’s mistake', async () => {
    const { verifier, addCommittee, dropCommittee } = create();
    const unknown = { code: 'unknown-epoch', data: { epoch: 1 } };
    const check = async (isKnown: boolean): Promise<void> => {
      expect(await verifier.checkVote(ballot(second, 1), 'consensus')).toBe(isKnown);
      expect(await verifier.checkCertificate(certificate(second), 'block')).toBe(isKnown);
      const answer = verifier.checkQuorum(quorum(second));
      if (isKnown) expect(await answer).toMatchObject({ offenders: [] });
      else await expect(answer).rejects.toMatchObject(unknown);
    };
    await check(false);
    addCommittee(1, second.publicKeys);
    await check(true);
    dropCommittee(1);
    dropCommittee(1);
    await check(false);
    addCommittee(1, second.publicKeys);
    await check(true);
    expect(await verifier.checkCertificate(certificate(first), 'block')).toBe(true);
  });

  test('judges a request by the committees of when it was made', async () => {
    const { verifier, addCommittee, dropCommittee } = create();
    const ask = () => verifier.checkCertificate(certificate(second), 'client');
    const before = ask();
    addCommittee(1, second.publicKeys);
    const during = [ask(), verifier.checkQuorum(quorum(second)).then(({ aggregate }) => aggregate !== undefined)];
    dropCommittee(1);
    const after = ask();
    expect(await Promise.all([before, ...during, after])).toEqual([false, true, true, false]);
  });

  test('keeps the keys of a known epoch, and a bounded number of committees', async () => {
    const { verifier, addCommittee, dropCommittee } = create();
    const invalid = expect.objectContaining({ code: 'invalid-committee' });
    addCommittee(0, first.publicKeys);
    expect(() => addCommittee(0, second.publicKeys)).toThrow(invalid);
    expect(() => addCommittee(0, first.publicKeys.slice(1))).toThrow(invalid);
    expect(() => addCommittee(1, [])).toThrow(invalid);
    expect(() => addCommittee(1, [new Uint8Array(47)])).toThrow(invalid);
    expect(() => addCommittee(-1, second.publicKeys)).toThrow(invalid);
    expect(() => addCommittee(2 ** 32, second.publicKeys)).toThrow(invalid);
    for (let epoch = 1; epoch < 16; epoch++) addCommittee(epoch, second.publicKeys);
    expect(() => addCommittee(16, second.publicKeys)).toThrow('drop one first');
    dropCommittee(7);
    addCommittee(2 ** 32 - 1, second.publicKeys);
    expect(await verifier.checkCertificate(certificate(second, 2 ** 32 - 1), 'block')).toBe(true);
    expect(await verifier.checkCertificate(certificate(first), 'block')).toBe(true);
  });

  test('finds nothing valid under an invalid key of a committee, and judges its other members', async () => {
    const { verifier, addCommittee } = create();
    addCommittee(1, [...second.publicKeys.slice(0, 2), new Uint8Array(48), ...second.publicKeys.slice(3)]);
    expect(await verifier.checkVote(ballot(second, 1), 'consensus')).toBe(true);
    expect(await verifier.checkVote(ballot(second, 2), 'consensus')).toBe(false);
    expect(await verifier.checkCertificate(certificate(second), 'consensus')).toBe(false);
    expect(await verifier.checkQuorum(quorum(second))).toMatchObject({ offenders: [2], checks: 0 });
  });
});

describe('of any additions, drops and requests', () => {
  const onThreads = createWorkerVerifier({ committees: [], workers: 2, onFailure });
  const inline = createInlineVerifier({ committees: [] });
  afterAll(() => onThreads.stop());

  const step = fc.oneof(
    fc.record({ do: fc.constant('add' as const), epoch: fc.nat(2) }),
    fc.record({ do: fc.constant('drop' as const), epoch: fc.nat(2) }),
    fc.record({ do: fc.constant('ask' as const), epoch: fc.nat(2), by: fc.nat(2), isVote: fc.boolean() }),
  );

  test('each request is true if its epoch was known then, and its committee signed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
        for (const { verifier, addCommittee, dropCommittee } of [onThreads, inline]) {
          for (const { epoch } of epochs) dropCommittee(epoch);
          const known = new Set<number>();
          const answers: Promise<boolean>[] = [];
          const expected: boolean[] = [];
          for (const each of steps) {
            if (each.do === 'add') addCommittee(each.epoch, (epochs[each.epoch] as Members).publicKeys);
            if (each.do === 'add') known.add(each.epoch);
            if (each.do === 'drop') dropCommittee(each.epoch);
            if (each.do === 'drop') known.delete(each.epoch);
            if (each.do !== 'ask') continue;
            const by = epochs[each.by] as Members;
            answers.push(
              each.isVote
                ? verifier.checkVote(ballot(by, each.by, each.epoch), 'chunk')
                : verifier.checkCertificate(certificate(by, each.epoch), 'block'),
            );
            expected.push(known.has(each.epoch) && each.by === each.epoch);
          }
          expect(await Promise.all(answers)).toEqual(expected);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe.each(Object.entries(kinds))('the keys of a signer (%s)', (_, create) => {
  test('are chosen by their public key: a new one signs beside the old one, until either is removed', async () => {
    const { signer, addKey, removeKey } = create();
    const next = await addKey(secretKeyOf(101));
    expect(next.publicKey).toEqual(second.publicKeys[1]);
    expect(await signer.sign([MESSAGE])).toEqual([signature(first, 0)]);
    expect(await next.sign([MESSAGE, sha256(MESSAGE)])).toEqual([
      signature(second, 1),
      signature(second, 1, sha256(MESSAGE)),
    ]);
    await removeKey(signer.publicKey);
    await expect(signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'no-secret-key' });
    expect(await next.sign([MESSAGE])).toEqual([signature(second, 1)]);
    await removeKey(next.publicKey);
    await removeKey(next.publicKey);
    await expect(next.sign([MESSAGE])).rejects.toMatchObject({ code: 'no-secret-key' });
  });

  test('are added and removed in order with what is signed', async () => {
    const { signer, removeKey } = create();
    const messages = Array.from({ length: 64 }, (_each, at) => sha256(uint32le(at)));
    const before = signer.sign(messages);
    const removed = removeKey(signer.publicKey);
    const after = expect(signer.sign([MESSAGE])).rejects.toMatchObject({ code: 'no-secret-key' });
    expect(await before).toHaveLength(64);
    await removed;
    await after;
  });

  test('are erased from the bytes that were passed in, valid or not', async () => {
    const { addKey } = create();
    const secretKey = secretKeyOf(101);
    await addKey(secretKey);
    expect(secretKey).toEqual(new Uint8Array(32));
    const invalid = sha256(utf8('above the order')).fill(0xff);
    await expect(addKey(invalid)).rejects.toMatchObject({ code: 'invalid-secret-key' });
    expect(invalid).toEqual(new Uint8Array(32));
    const short = new Uint8Array(31).fill(1);
    await expect(addKey(short)).rejects.toMatchObject({ code: 'invalid-secret-key' });
  });

  test('leave the secret that the verifier was made with to its owner, and reject once it is stopped', async () => {
    const secretKey = secretKeyOf(0);
    const service = create(secretKey);
    expect(await service.signer.sign([MESSAGE])).toEqual([signature(first, 0)]);
    expect(secretKey).toEqual(secretKeyOf(0));
    await service.stop();
    await expect(service.addKey(secretKey)).rejects.toMatchObject({ code: 'stopped' });
    expect(secretKey).toEqual(new Uint8Array(32));
    await expect(service.removeKey(service.signer.publicKey)).rejects.toMatchObject({ code: 'stopped' });
  });
});
