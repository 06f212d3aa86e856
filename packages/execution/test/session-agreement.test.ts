/**
 * All validators agree: whatever they have cached, in whatever order they looked, with whatever memory of earlier checks.
 *
 * The list of attacks and what must come of each is pinned here; so is the digest of the whole outcome.
 */
import {
  type AuthorityChecks,
  createAuthorityChecks,
  createBudgets,
  createCachedVerifier,
  createVerificationCache,
} from '@slipstream/crypto';
import type { Verifier } from '@slipstream/ports';
import { CodedError, sha256, toHex, utf8 } from '@slipstream/primitives';
import {
  authorityMessage,
  createCredentialMemory,
  type DecodedTransaction,
  GENESIS_EPOCH,
  type PreparedTransaction,
  sessionKeyOf,
  type Transaction,
} from '@slipstream/types';
import { beforeEach, describe, expect, it } from 'vitest';
import { sessionChainOf } from '../../types/test/session-chain.ts';
import { type Attack, type AttackWorld, attacksOn, attackWorld, proofOf, WRITE } from './session-attacks.ts';
import { byCredential, byHash, encoded, startSalts, testChain } from './session-world.ts';

let world: AttackWorld;
let attacks: readonly Attack[];

beforeEach(async () => {
  startSalts();
  world = await attackWorld();
  attacks = await attacksOn(world);
});

interface Counted {
  readonly verifier: Verifier;
  /** Statements given to the verifier. */
  readonly pairings: () => number;
  readonly batches: () => number;
}

let counted: Counted;

beforeEach(() => {
  let pairings = 0;
  let batches = 0;
  const { verifier } = world.target;
  counted = {
    verifier: {
      ...verifier,
      checkBatch(batch, priority) {
        pairings += batch.length;
        batches += 1;
        return verifier.checkBatch(batch, priority);
      },
    },
    pairings: () => pairings,
    batches: () => batches,
  };
});

function checksOf(verifier: Verifier = counted.verifier, credentialBytesMax = 1_000_000): AuthorityChecks {
  return createAuthorityChecks(verifier, sessionChainOf(world.target), createCredentialMemory(credentialBytesMax));
}

function cached(verifier: Verifier, entriesMax: number) {
  const hashKey = sha256(utf8('key')).subarray(0, 16);
  const limits = { entriesMax, issuerEntriesMax: entriesMax };
  const cache = createVerificationCache({ ...limits, hashKey });
  return { verifier: createCachedVerifier(verifier, cache), cache };
}

/** As a node does it: the session key's signature, then the credential if there is one. */
async function faultOf(checks: AuthorityChecks, { transaction, id }: DecodedTransaction): Promise<string> {
  const { auth } = transaction as Transaction;
  if (auth.scheme === 'ed25519') throw new Error('not a session');
  const [good] = await world.target.verifier.checkAccounts(
    [{ publicKey: sessionKeyOf(auth), message: authorityMessage(id, auth), signature: auth.signature }],
    'chunk',
  );
  if (!good) return 'bad-signature';
  return (await checks.check(transaction as Transaction, 'chunk', GENESIS_EPOCH)) ?? 'good';
}

describe('a credential', () => {
  it('is rejected with the reason of each attack, and nothing of it is cached', async () => {
    const { verifier, cache } = cached(counted.verifier, 100);
    const checks = checksOf(verifier);
    for (const { name, fault, transaction } of attacks)
      expect([name, await faultOf(checks, transaction)]).toEqual([name, fault]);
    const paid = counted.pairings();
    for (const { name, fault, transaction } of attacks)
      expect([name, await faultOf(checks, transaction)]).toEqual([name, fault]);
    expect(counted.pairings() - paid).toBeGreaterThan(0);
    // The true committee's certificate is all that succeeded, in attacks on the state below it.
    expect(cache.stats().size).toBe(1);
    expect(checks.stats().known).toBe(0);
  });

  it('is verified with two pairings, then with none: by the same bytes, by another of the same block, by any user', async () => {
    const { verifier } = cached(counted.verifier, 100);
    const checks = checksOf(verifier);
    const { target, session, credential } = world;
    const use = () => byCredential(target, session, credential, { actions: [WRITE] });
    expect(await faultOf(checks, use())).toBe('good');
    expect(counted.pairings()).toBe(2);
    expect(await faultOf(checks, use())).toBe('good');
    expect(await faultOf(checksOf(verifier), use())).toBe('good');
    expect(counted.pairings()).toBe(2);
    expect(checks.stats()).toMatchObject({ checked: 1, known: 1, refused: 0 });
  });

  it('is checked together with those that arrive with it: all roots as one batch, then all states', async () => {
    const { target, session, credential } = world;
    const good = byCredential(target, session, credential, { actions: [WRITE] });
    const dear = attacks.filter(
      ({ fault }) => fault === 'session-bad-certificate' || fault === 'session-wrong-committee',
    );
    const checks = checksOf();
    const entries = [good, ...dear.map(({ transaction }) => transaction)];
    const faults = await Promise.all(
      entries.map(({ transaction }) => checks.check(transaction as Transaction, 'chunk', GENESIS_EPOCH)),
    );
    expect(faults).toEqual([undefined, ...dear.map(({ fault }) => fault)]);
    expect(counted.batches()).toBe(2);
  });

  it('costs no pairing where a cheaper check rejects it', async () => {
    const checks = checksOf();
    const dear = new Set(['session-wrong-committee', 'session-bad-certificate']);
    for (const { fault, transaction } of attacks) if (!dear.has(fault)) await faultOf(checks, transaction);
    expect(counted.pairings()).toBe(0);
  });

  it('stays bad when a good one under the same transaction id was checked, and the other way round', async () => {
    const { target, session, credential } = world;
    const good = byCredential(target, session, credential, { actions: [WRITE] });
    const { body, auth } = good.transaction as Transaction;
    if (auth.scheme !== 'session') throw new Error('not a credential');
    const proof = proofOf(credential);
    const aggregate = proof.certificate.aggregate.map((byte, i) => (i === 90 ? byte ^ 1 : byte));
    const stuffed = attacks.find(({ fault }) => fault === 'session-bad-certificate');
    expect(stuffed).toBeDefined();
    const checks = checksOf();
    expect(await faultOf(checks, good)).toBe('good');
    const bent = { ...auth.credential, proof: bentProof(credential.proof, aggregate, proof.certificate.aggregate) };
    expect(encoded({ body, auth: { ...auth, credential: bent } }).id).toEqual(good.id);
    expect(await checks.check({ body, auth: { ...auth, credential: bent } }, 'chunk', GENESIS_EPOCH)).toBe(
      'session-bad-certificate',
    );
    expect(await faultOf(checks, good)).toBe('good');
  });
});

function bentProof(bytes: Uint8Array, bent: Uint8Array, from: Uint8Array): Uint8Array {
  const at = toHex(bytes).indexOf(toHex(from)) / 2;
  const copy = bytes.slice();
  copy.set(bent, at);
  return copy;
}

describe('credential stuffing', () => {
  it('uses up its payer’s budget, and not that of others', async () => {
    let nowMs = 0;
    const limits = { sourceTokens: 3, sourceTokensPerSecond: 1, allTokens: 100, allTokensPerSecond: 10, sourcesMax: 8 };
    const budgets = createBudgets({ monotonicMs: () => nowMs }, limits);
    const checks = checksOf();
    const stuffing = attacks.filter(({ name }) => name.startsWith('a state that')).at(0) as Attack;
    const verdicts: (string | undefined)[] = [];
    for (let i = 0; i < 50; i++) {
      const { transaction } = stuffing.transaction;
      verdicts.push(await checks.check(transaction as Transaction, 'client', GENESIS_EPOCH, budgets.of('flooder')));
    }
    expect(verdicts.filter((verdict) => verdict === 'not-now')).toHaveLength(47);
    expect(counted.pairings()).toBe(3 * 2);
    const { target, session, credential } = world;
    const good = byCredential(target, session, credential, { actions: [WRITE] });
    const honest = budgets.of('honest');
    expect(await checks.check(good.transaction as Transaction, 'client', GENESIS_EPOCH, honest)).toBeUndefined();
    expect([honest.take(), honest.take(), honest.take(), honest.take()]).toEqual([true, true, true, false]);
    nowMs = 1_000;
    expect([budgets.of('flooder').take(), budgets.of('flooder').take()]).toEqual([true, false]);
    expect(budgets.refusals).toBe(49);
  });

  it('uses the budget also when only the structure of the proof is false, without a pairing', async () => {
    const limits = { sourceTokens: 3, sourceTokensPerSecond: 1, allTokens: 100, allTokensPerSecond: 10, sourcesMax: 8 };
    const budgets = createBudgets({ monotonicMs: () => 0 }, limits);
    const checks = checksOf();
    const structural = ['session-truncated-proof', 'session-replayed-grant', 'session-broken-path'];
    for (const fault of structural) {
      const { transaction } = (attacks.find((attack) => attack.fault === fault) as Attack).transaction;
      const check = () => checks.check(transaction as Transaction, 'client', GENESIS_EPOCH, budgets.of(fault));
      const verdicts = [await check(), await check(), await check(), await check()];
      expect(verdicts).toEqual([fault, fault, fault, 'not-now']);
    }
  });

  it('is not assumed when the verifier is full: a payer without a verdict pays nothing', async () => {
    const limits = { sourceTokens: 3, sourceTokensPerSecond: 1, allTokens: 100, allTokensPerSecond: 10, sourcesMax: 8 };
    const budget = createBudgets({ monotonicMs: () => 0 }, limits).of('honest');
    const { target, session, credential } = world;
    const full = async () => {
      throw new CodedError('queue-full', 'the lane is full');
    };
    const checks = createAuthorityChecks({ checkBatch: full }, sessionChainOf(target), createCredentialMemory());
    const good = byCredential(target, session, credential, { actions: [WRITE] }).transaction as Transaction;
    for (let times = 0; times < 5; times++) {
      await expect(checks.check(good, 'client', GENESIS_EPOCH, budget)).rejects.toThrow('the lane is full');
    }
    expect([budget.take(), budget.take(), budget.take(), budget.take()]).toEqual([true, true, true, false]);
  });

  it('from many new addresses meets the budget of all', () => {
    const limits = { sourceTokens: 3, sourceTokensPerSecond: 1, allTokens: 10, allTokensPerSecond: 10, sourcesMax: 8 };
    const budgets = createBudgets({ monotonicMs: () => 0 }, limits);
    const taken = Array.from({ length: 100 }, (_, i) => budgets.of(`address ${i}`).take());
    expect(taken.filter(Boolean)).toHaveLength(10);
  });
});

describe('validators', () => {
  it('reach one digest over every attack and every use, whatever each has cached', async () => {
    const { target, session, credential } = world;
    const uses = [
      byHash(target, session, { actions: [WRITE] }),
      byCredential(target, session, credential, { actions: [WRITE] }),
      byHash(target, session, { actions: [WRITE, session.action] }),
      byHash(target, session, {
        actions: [{ kind: 'revokeSession', owner: session.account, grantId: session.grantId }],
      }),
      byCredential(target, session, credential, { actions: [WRITE] }),
      byHash(target, session, { actions: [WRITE] }),
    ];
    const block = [...attacks.map(({ transaction }) => transaction), ...uses];
    const validators = [
      { verifier: counted.verifier, credentialBytesMax: 1_000_000, order: block.map((_, i) => i) },
      {
        verifier: cached(counted.verifier, 100).verifier,
        credentialBytesMax: 1_000_000,
        order: block.map((_, i) => block.length - 1 - i),
      },
      {
        verifier: cached(counted.verifier, 2).verifier,
        credentialBytesMax: 1_500,
        order: [...block.keys(), ...block.keys()],
      },
      { verifier: counted.verifier, credentialBytesMax: 1_500, order: block.map((_, i) => (i * 7) % block.length) },
    ];
    const outcomes = await Promise.all(validators.map((validator) => outcomeAt(validator, block)));
    expect(new Set(outcomes).size).toBe(1);
    const [outcome = ''] = outcomes;
    expect(outcome.split('\n').filter((line) => line.startsWith('skipped'))).toEqual([
      ...attacks.map(({ fault }) => `skipped ${fault}`),
      'skipped session-unknown',
      'skipped session-out-of-scope',
      'skipped session-revoked',
      'skipped session-revoked',
    ]);
    expect(toHex(sha256(utf8(outcome)))).toBe('11ab6795d616663e86fdbe8ed437e2c5d72b2e8a281254c925155603240153c3');
  });
});

interface Validator {
  readonly verifier: Verifier;
  readonly credentialBytesMax: number;
  /** In which it checks the block's transactions before it executes them in the block's own. */
  readonly order: readonly number[];
}

async function outcomeAt(
  { verifier, credentialBytesMax, order }: Validator,
  block: readonly DecodedTransaction[],
): Promise<string> {
  const checks = createAuthorityChecks(
    verifier,
    sessionChainOf(world.target),
    createCredentialMemory(credentialBytesMax),
  );
  const chain = testChain('target', { trusted: [world.identity.rootKey] });
  const verdicts = new Map<number, PreparedTransaction>();
  for (const i of order) {
    const decoded = block[i] as DecodedTransaction;
    const fault = await faultOf(checks, decoded);
    const verdict = fault === 'good' ? { signatureValid: true } : { signatureValid: false, fault: fault as never };
    verdicts.set(i, { ...decoded, ...verdict });
  }
  const executed = chain.execute(block.map((_, i) => verdicts.get(i) as PreparedTransaction));
  return [
    ...executed.skipped.map(({ reason }) => `skipped ${reason}`),
    ...executed.batch.map(({ key, value }) => `${toHex(key)}=${value ? toHex(value) : ''}`),
    ...executed.receiptBytes.map(toHex),
  ].join('\n');
}
