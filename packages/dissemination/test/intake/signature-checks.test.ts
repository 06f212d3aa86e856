import { createAuthorityChecks, createBudgets } from '@slipstream/crypto';
import { createBlsSigner, generateBlsSecretKey } from '@slipstream/crypto/native';
import type { AccountSignature, PeerKey, Priority } from '@slipstream/ports';
import {
  type Action,
  asId,
  authorityMessage,
  createCredentialMemory,
  type DecodedTransaction,
  decodeTransaction,
  GENESIS_EPOCH,
  type GrantId,
  pseudonymAccount,
  readyMessage,
  type Transaction,
  transactionCodec,
} from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import {
  byCredential,
  credentialOf,
  person,
  sessionOf,
  signed,
  testChain,
} from '../../../execution/test/session-world.ts';
import { sessionChainOf } from '../../../types/test/session-chain.ts';
import { createSignatureChecks } from '../../src/intake/signature-checks.ts';
import { genesisCommittees } from '../harness/genesis-epochs.ts';
import { genesisOf, transaction } from '../harness/network.ts';

const committees = genesisCommittees(genesisOf(4), 0);
const WRITE: Action = { kind: 'setData', name: 'n', value: new Uint8Array(1) };

interface Batch {
  readonly asked: readonly AccountSignature[];
  readonly priority: Priority;
  answer(): void;
  fail(cause: Error): void;
}

/** The test controls timers and verifier. Every signature is valid. */
function checksInHand(gatherSignaturesMax = 100) {
  const timers: (() => void)[] = [];
  const batches: Batch[] = [];
  const verifier = {
    checkAccounts: (asked: readonly AccountSignature[], priority: Priority) =>
      new Promise<readonly boolean[]>((resolve, reject) => {
        batches.push({ asked, priority, answer: () => resolve(asked.map(() => true)), fail: reject });
      }),
  };
  const clock = {
    wallMs: () => 0,
    monotonicMs: () => 0,
    after: (_: number, action: () => void) => {
      timers.push(action);
      return () => void timers.splice(timers.indexOf(action), 1);
    },
  };
  const budget = { take: () => true, giveBack: () => undefined };
  const checks = createSignatureChecks(
    { verifier, clock, committees, sessions: { check: async () => undefined } },
    { gatherMs: 2, gatherSignaturesMax },
  );
  const made = new Map<number, DecodedTransaction>();
  function decoded(from: number): DecodedTransaction {
    const known = made.get(from) ?? decodeTransaction(transaction({ from }));
    made.set(from, known);
    return known;
  }
  return {
    checks,
    decoded,
    asked: () => batches.flatMap(({ asked }) => asked),
    sizes: () => batches.map(({ asked }) => asked.length),
    lanes: () => batches.map(({ asked, priority }) => `${asked.length} ${priority}`),
    submit: (from: number) => checks.checkGathered([decoded(from)], { name: 'client', budget }),
    pass() {
      for (const action of timers.splice(0)) action();
    },
    async answer(index: number) {
      batches[index]?.answer();
      for (let i = 0; i < 20; i++) await Promise.resolve();
    },
    async fail(index: number) {
      batches[index]?.fail(new Error('the lane is full'));
      for (let i = 0; i < 20; i++) await Promise.resolve();
    },
  };
}

/** One body, signed by one session key under this grant. */
function bySession(grant: number): DecodedTransaction {
  const { body } = decodeTransaction(transaction({ from: 1, salt: 7 })).transaction as Transaction;
  const [signature, sessionKey] = [new Uint8Array(64), new Uint8Array(32)];
  const auth = {
    scheme: 'session-hash',
    signature,
    sessionKey,
    grantId: asId<GrantId>(new Uint8Array(32).fill(grant)),
  };
  const sender = pseudonymAccount(new Uint8Array(32));
  return decodeTransaction(transactionCodec.encode({ body: { ...body, sender }, auth } as Transaction));
}

describe('checks of clients’ signatures', () => {
  it('gather while the batch before is with the verifier, and leave when it is answered', async () => {
    const { submit, pass, answer, sizes } = checksInHand();
    const results = [submit(1)];
    pass();
    for (const from of [2, 3]) {
      results.push(submit(from));
      pass();
    }
    expect(sizes()).toEqual([1]);
    await answer(0);
    expect(sizes()).toEqual([1, 2]);
    await answer(1);
    expect(await Promise.all(results)).toEqual([['good'], ['good'], ['good']]);
  });

  it('do not wait for the batch before when the next one is full', async () => {
    const { submit, pass, sizes } = checksInHand(2);
    void submit(1);
    pass();
    void submit(2);
    void submit(3);
    expect(sizes()).toEqual([1, 2]);
  });

  it('are made once for a transaction that arrives twice, or as a client’s when a chunk with it is being checked', async () => {
    const { checks, submit, decoded, pass, answer, lanes } = checksInHand();
    const chunks = [
      checks.checkChunk([decoded(1), decoded(2)], GENESIS_EPOCH),
      checks.checkChunk([decoded(2), decoded(3)], GENESIS_EPOCH),
    ];
    const client = submit(1);
    pass();
    expect(lanes()).toEqual(['2 chunk', '1 chunk']);
    await answer(0);
    await answer(1);
    expect(await Promise.all(chunks)).toEqual([
      ['good', 'good'],
      ['good', 'good'],
    ]);
    expect(await client).toEqual(['good']);
    expect(checks.stats()).toEqual({ batches: 2, signatures: 3, joined: 2 });
  });

  it('delay no chunk: clients can fill their lane', async () => {
    const { checks, submit, decoded, pass, answer, lanes } = checksInHand();
    const client = submit(1);
    pass();
    const chunk = checks.checkChunk([decoded(1), decoded(2)], GENESIS_EPOCH);
    expect(lanes()).toEqual(['1 client', '2 chunk']);
    await answer(1);
    expect(await chunk).toEqual(['good', 'good']);
    await answer(0);
    expect(await client).toEqual(['good']);
  });

  it('are made in the clients’ own lane when the awaited check in the chunk lane fails', async () => {
    const { checks, submit, decoded, pass, answer, fail, lanes } = checksInHand();
    const chunk = checks.checkChunk([decoded(1), decoded(2)], GENESIS_EPOCH);
    const client = submit(1);
    pass();
    const failure = expect(chunk).rejects.toThrow('the lane is full');
    await fail(0);
    await failure;
    expect(lanes()).toEqual(['2 chunk', '1 client']);
    await answer(1);
    expect(await client).toEqual(['good']);
  });

  it('cover the session key’s signature under the authority: a result never applies to another under the same id', async () => {
    const { checks, asked, answer } = checksInHand();
    const [one, other] = [1, 2].map(bySession) as [DecodedTransaction, DecodedTransaction];
    expect(one.id).toEqual(other.id);
    void checks.checkChunk([one], GENESIS_EPOCH);
    const again = checks.checkChunk([one, other], GENESIS_EPOCH);
    expect(checks.stats()).toEqual({ batches: 2, signatures: 2, joined: 1 });
    const messages = [one, other].map(({ id, transaction: of }) => authorityMessage(id, (of as Transaction).auth));
    expect(asked().map(({ message }) => message)).toEqual(messages);
    await answer(0);
    await answer(1);
    expect(await again).toEqual(['good', 'good']);
  });

  it('never share a result between transactions whose ids have a common prefix', async () => {
    const { checks, decoded, answer } = checksInHand();
    const one = decoded(1);
    const id = one.id.slice();
    id[31] = (id[31] as number) ^ 1;
    void checks.checkChunk([one], GENESIS_EPOCH);
    const other = checks.checkChunk([{ ...one, id: id as typeof one.id }], GENESIS_EPOCH);
    expect(checks.stats()).toEqual({ batches: 2, signatures: 2, joined: 0 });
    await answer(0);
    await answer(1);
    expect(await other).toEqual(['good']);
  });

  it('in flight never apply to another signature, or another key, of the same message', async () => {
    const flip = (bytes: Uint8Array) => bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte));
    const one = bySession(1);
    const { body, auth } = one.transaction as Transaction;
    const hashed = auth as Extract<typeof auth, { readonly scheme: 'session-hash' }>;
    for (const change of [{ signature: flip(auth.signature) }, { sessionKey: flip(hashed.sessionKey) }]) {
      const { checks } = checksInHand();
      void checks.checkChunk([one], GENESIS_EPOCH);
      void checks.checkChunk([{ ...one, transaction: { body, auth: { ...hashed, ...change } } }], GENESIS_EPOCH);
      expect(checks.stats()).toEqual({ batches: 2, signatures: 2, joined: 0 });
    }
  });

  it('accept no credential, however valid, in place of its session key’s signature: it is public on the chain', async () => {
    const alice = person('alice');
    const identity = testChain('identity', { balances: [alice.account] });
    const target = testChain('target', { trusted: [identity.rootKey] });
    const session = sessionOf(identity, target, alice);
    const copied = byCredential(target, session, await credentialOf(identity, session, alice), { actions: [WRITE] });
    for (const isSigned of [false, true]) {
      let credentials = 0;
      const sessions = {
        check: () => {
          credentials += 1;
          return undefined;
        },
      };
      const verifier = { checkAccounts: async (asked: readonly AccountSignature[]) => asked.map(() => isSigned) };
      const clock = { wallMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
      const checks = createSignatureChecks(
        { verifier, sessions, clock, committees },
        { gatherMs: 2, gatherSignaturesMax: 9 },
      );
      expect(await checks.checkChunk([copied], GENESIS_EPOCH)).toEqual([isSigned ? 'good' : 'bad-signature']);
      expect(credentials).toBe(isSigned ? 1 : 0);
    }
  });
});

describe('actions with signatures of validators’ keys', () => {
  it('are judged by them, among others and after the sender’s own signature', async () => {
    const sender = person('operator');
    const chain = testChain('keys');
    const { genesisHash, verifier } = chain;
    const bls = createBlsSigner(generateBlsSecretKey(new Uint8Array(32).fill(9)));
    const keys = {
      blsPublicKey: bls.publicKey,
      peerKey: 'ab'.repeat(32) as PeerKey,
      epoch: 0,
      version: 1,
      artifacts: [],
    };
    const ready = { kind: 'ready', ...keys, signature: bls.signCompressed(readyMessage(genesisHash, keys)) } as const;
    const forged = { ...ready, version: 2 };
    const entries = [ready, forged, WRITE].map((action) => decodeTransaction(signed(chain, sender, action).bytes));
    const unsigned = decodeTransaction(signed(chain, sender, forged).bytes);
    const { body } = unsigned.transaction as Transaction;
    const auth = { scheme: 'ed25519', signature: new Uint8Array(64) } as const;
    entries.push(decodeTransaction(transactionCodec.encode({ body, auth })));
    const clock = { wallMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
    const checks = createSignatureChecks(
      {
        verifier,
        clock,
        committees,
        sessions: createAuthorityChecks(verifier, sessionChainOf(chain), createCredentialMemory()),
      },
      { gatherMs: 2, gatherSignaturesMax: 100 },
    );
    expect(await checks.checkChunk(entries, GENESIS_EPOCH)).toEqual(['good', 'bad-readiness', 'good', 'bad-signature']);
  });
});

describe('credentials of one payer', () => {
  const limits = { sourceTokens: 4, sourceTokensPerSecond: 1, allTokens: 8, allTokensPerSecond: 1, sourcesMax: 8 };

  /** One batch, with a budget of four. */
  async function checkFirstUses(sessions: number, isFalse: (session: number) => boolean) {
    const device = person('device');
    const identity = testChain('identity', { balances: [device.account] });
    const target = testChain('target', { trusted: [identity.rootKey] });
    const uses: DecodedTransaction[] = [];
    for (let i = 0; i < sessions; i++) {
      const session = sessionOf(identity, target, device, { key: `session key ${i}` });
      const credential = await credentialOf(identity, session, device);
      // A false proof: its receipt grants another session.
      const proof = isFalse(i)
        ? { ...credential, proof: credential.proof.map((byte, at) => (at === 40 ? byte ^ 1 : byte)) }
        : credential;
      uses.push(byCredential(target, session, proof, { actions: [WRITE] }));
    }
    const { verifier } = target;
    const clock = { wallMs: () => 0, monotonicMs: () => 0, after: () => () => {} };
    const checks = createSignatureChecks(
      {
        verifier,
        clock,
        committees,
        sessions: createAuthorityChecks(verifier, sessionChainOf(target), createCredentialMemory()),
      },
      { gatherMs: 2, gatherSignaturesMax: 100 },
    );
    const budgets = createBudgets({ monotonicMs: () => 0 }, limits);
    return checks.checkForwarded(uses, { name: 'client', budget: budgets.of('client') });
  }

  it('that are valid are all accepted, however many arrive at once: valid ones use no budget', async () => {
    expect(await checkFirstUses(12, () => false)).toEqual(new Array(12).fill('good'));
  });

  it('that are invalid are checked as far as the budget allows, with or without valid ones among them', async () => {
    const verdicts = await checkFirstUses(12, (session) => session > 0);
    expect(verdicts[0]).toBe('good');
    expect(verdicts.filter((verdict) => verdict === 'not-now')).toHaveLength(12 - 1 - 4);
  });
});
