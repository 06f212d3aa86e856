/** Batches of BLS statements: each answered as if it were checked alone (S23), at a bounded cost (S24). */
import { checkOneByOne, type Statement } from '@slipstream/ports';
import { sha256, uint32le } from '@slipstream/primitives';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { splitBatch } from '../src/native/batch-split.ts';
import { createInlineVerifier, createWorkerVerifier } from '../src/native/index.ts';
import { cancelling, ERRORS, opposite } from './colluders.ts';
import { committeeOf, committeeWith, EPOCH, MESSAGE, secretKeyOf, voteRequest } from './committee.ts';

const MEMBERS = 6;
const committee = committeeOf(MEMBERS);
const { verifier } = committee.service;
const messageOf = (at: number): Uint8Array => sha256(uint32le(at));
const signed = (signer: number, message: Uint8Array): Uint8Array =>
  (committee.signers[signer] as (typeof committee.signers)[number]).sign(message);
const voteOn = (message: Uint8Array, signer: number, signature = signed(signer, message)): Statement => ({
  kind: 'vote',
  ...voteRequest(message, signer, signature),
});

async function certificateOn(message: Uint8Array, signers: readonly number[]): Promise<Uint8Array> {
  const votes = signers.map((signer) => ({ signer, signature: signed(signer, message), verified: false }));
  return (await verifier.checkQuorum({ epoch: EPOCH, message, votes })).aggregate as Uint8Array;
}

/** Each a good statement of its kind; several share a message or a key. */
async function goodStatements(count: number): Promise<Statement[]> {
  const statements = [...Array(count).keys()].map(async (at): Promise<Statement> => {
    const message = messageOf(at % 5);
    const signers = [at % 3, 3 + (at % 3)];
    if (at % 3 === 0) return voteOn(message, at % MEMBERS);
    const aggregate = await certificateOn(message, signers);
    if (at % 3 === 1) return { kind: 'certificate', epoch: EPOCH, message, signers, aggregate };
    const publicKeys = signers.map((signer) => committee.publicKeys[signer] as Uint8Array);
    return { kind: 'aggregate', message, publicKeys, aggregate };
  });
  return Promise.all(statements);
}

const good = await goodStatements(24);
const other = messageOf(999);

const FORMS = {
  'one message': (at: number) => voteOn(MESSAGE, at),
  'one key': (at: number) => voteOn(messageOf(at), 0),
  'distinct statements': (at: number) => voteOn(messageOf(at), at),
};

describe('a batch', () => {
  test.each(Object.entries(FORMS))('of %s passes with one pairing check', async (_, statementAt) => {
    const { verifier: own, stats } = createInlineVerifier({ committees: committee.committees });
    const batch = [...Array(MEMBERS).keys()].map(statementAt);
    expect(await own.checkBatch(batch, 'block')).toEqual(batch.map(() => true));
    expect(stats()).toMatchObject({ pairingChecks: 1, batches: 1, batchedStatements: MEMBERS });
  });

  test('answers each statement as single checks do, in order, for any bad ones (S23)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat(good.length - 1), { maxLength: good.length }), async (bad) => {
        const batch = good.map((statement, at) => (bad.includes(at) ? { ...statement, message: other } : statement));
        const answers = await verifier.checkBatch(batch, 'block');
        expect(answers).toEqual(batch.map((_, at) => !bad.includes(at)));
        expect(answers).toEqual(await checkOneByOne(verifier, batch, 'block'));
      }),
      { numRuns: 6 },
    );
  });

  test('takes what no pairing is needed for as false: no point, the identity, another length, strange signers and keys', async () => {
    const identity = new Uint8Array(192);
    identity[0] = 0x40;
    const certificate = good[1] as Extract<Statement, { kind: 'certificate' }>;
    const aggregate = good[2] as Extract<Statement, { kind: 'aggregate' }>;
    const false_: Statement[] = [
      voteOn(MESSAGE, 0, identity),
      voteOn(MESSAGE, 0, new Uint8Array(192).fill(0xff)),
      voteOn(MESSAGE, 0, certificate.aggregate),
      { ...certificate, signers: [] },
      { ...certificate, signers: [3, 0] },
      { ...certificate, signers: [0, MEMBERS] },
      { ...aggregate, publicKeys: [] },
      { ...aggregate, publicKeys: [new Uint8Array(48)] },
    ];
    const { verifier: own, stats } = createInlineVerifier({ committees: committee.committees });
    expect(await own.checkBatch(false_, 'block')).toEqual(false_.map(() => false));
    expect(stats().pairingChecks).toBe(0);
    expect(await own.checkBatch([...false_, certificate], 'block')).toEqual([...false_.map(() => false), true]);
    expect(await own.checkBatch([], 'block')).toEqual([]);
  });

  test('rejects a vote of no member and messages of another length', async () => {
    const invalid = { code: 'invalid-request' };
    const strange = { ...voteOn(MESSAGE, 0), signer: MEMBERS };
    await expect(verifier.checkBatch([strange], 'block')).rejects.toMatchObject(invalid);
    await expect(
      verifier.checkBatch([{ ...voteOn(MESSAGE, 0), message: new Uint8Array(31) }], 'block'),
    ).rejects.toMatchObject(invalid);
  });

  test('of good statements by keys that cancel is good, and one by a sum that is the identity is not', async () => {
    const pair = committeeWith([secretKeyOf(0), secretKeyOf(1), opposite(secretKeyOf(1))]);
    const votes = [0, 1, 2].map((signer): Statement => {
      const signature = pair.signers[signer]?.sign(MESSAGE) as Uint8Array;
      return { kind: 'vote', ...voteRequest(MESSAGE, signer, signature) };
    });
    expect(await pair.service.verifier.checkBatch(votes, 'block')).toEqual([true, true, true]);
    const aggregate = await certificateOn(MESSAGE, [0, 1]);
    const unsigned: Statement = { kind: 'certificate', epoch: EPOCH, message: MESSAGE, signers: [1, 2], aggregate };
    expect(await pair.service.verifier.checkBatch([...votes, unsigned], 'block')).toEqual([true, true, true, false]);
  });
});

describe.each(Object.entries(ERRORS))('colluders whose errors cancel (%s)', (_, error) => {
  test.each(Object.entries(FORMS))('never pass in a batch of %s, wherever they are (S23)', async (__, statementAt) => {
    const statements = [...Array(MEMBERS).keys()].map(statementAt) as Extract<Statement, { kind: 'vote' }>[];
    const signatures = statements.map(({ signature }) => signature);
    for (const [a, b] of [
      [0, 1],
      [0, MEMBERS - 1],
      [2, 3],
    ] as const) {
      const forged = cancelling(signatures, a, b, error());
      const batch = statements.map((statement, at) => ({ ...statement, signature: forged[at] as Uint8Array }));
      expect(await verifier.checkBatch(batch, 'block')).toEqual(batch.map((___, at) => at !== a && at !== b));
    }
  });
});

describe('bad statements among good ones (S24)', () => {
  const votes = [...Array(16).keys()].map((at) => voteOn(messageOf(at), at % MEMBERS));
  const checksWith = async (bad: (at: number) => boolean): Promise<number> => {
    const { verifier: own, stats } = createInlineVerifier({ committees: committee.committees });
    const batch = votes.map((statement, at) => (bad(at) ? { ...statement, message: other } : statement));
    expect(await own.checkBatch(batch, 'block')).toEqual(batch.map((_, at) => !bad(at)));
    return stats().pairingChecks;
  };

  test('one is found in a check for each halving, and one for the rest', async () => {
    for (const place of [0, 7, 15]) expect(await checksWith((at) => at === place)).toBeLessThanOrEqual(7);
  });

  test('any number costs at most two checks each, and one', async () => {
    expect(await checksWith(() => true)).toBeLessThanOrEqual(33);
    expect(await checksWith((at) => at % 2 === 0)).toBeLessThanOrEqual(33);
    expect(await checksWith((at) => at !== 5)).toBeLessThanOrEqual(33);
  });
});

describe('a batch on threads', () => {
  const service = createWorkerVerifier({
    workers: 2,
    committees: committee.committees,
    onFailure(error) {
      throw error;
    },
  });
  afterAll(() => service.stop());

  test('of more statements than a job holds is answered in order, and more urgent work goes between its jobs', async () => {
    const batch = [...Array(80).keys()].map((at): Statement => {
      const statement = good[at % good.length] as Statement;
      return at % 31 === 7 ? { ...statement, message: other } : statement;
    });
    const distinct = [...Array(80).keys()].map((at) => ({ ...voteOn(messageOf(0), 0), message: messageOf(at) }));
    const order: string[] = [];
    const all = Promise.all([
      service.verifier.checkBatch(batch, 'block'),
      service.verifier.checkBatch(distinct, 'block').then((answers) => order.push('block') && answers),
      service.verifier.checkVote(voteRequest(MESSAGE, 0, signed(0, MESSAGE)), 'consensus').then((answer) => {
        order.push('consensus');
        return answer;
      }),
    ]);
    const [mixed, wrong, urgent] = await all;
    expect(mixed).toEqual(batch.map((_, at) => at % 31 !== 7));
    expect(wrong).toEqual(distinct.map((_, at) => at === 0));
    expect(urgent).toBe(true);
    expect(order).toEqual(['consensus', 'block']);
  });
});

describe('the jobs of a batch', () => {
  const batchOf = (messages: readonly number[]) =>
    messages.map((at) => ({ ...voteOn(MESSAGE, 0), message: messageOf(at) }));

  test('hold each statement once, and at most 16 distinct ones, evenly', () => {
    for (const count of [1, 2, 16, 17, 40, 256]) {
      const jobs = splitBatch(batchOf([...Array(count).keys()]));
      expect(jobs.flatMap(({ places }) => places)).toEqual([...Array(count).keys()]);
      expect(jobs).toHaveLength(Math.ceil(count / 16));
      const sizes = jobs.map(({ places }) => places.length);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(16);
    }
    expect(splitBatch([])).toEqual([]);
  });

  test('keep statements of one message together', () => {
    const messages = [...Array(60).keys()].map((at) => at % 20);
    for (const { places } of splitBatch(batchOf(messages))) {
      const own = new Set(places.map((place) => messages[place]));
      for (const message of own) {
        expect(places.filter((place) => messages[place] === message)).toHaveLength(3);
      }
    }
  });
});
