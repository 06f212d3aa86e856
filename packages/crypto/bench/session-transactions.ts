/**
 * Session transactions at a validator, from bytes to executed: CPU time per transaction against plain Ed25519.
 *
 *   plain            the sender's own signature
 *   new, no cache    a new credential, both BLS verifications
 *   new              a new credential, both BLS results from the verification cache
 *   known            a credential inline that is known
 *   id               the grant's id: the state has the rest
 *   10, 100 uses     as the SDK sends them: the first carries the credential, the rest the grant's id
 *
 * All grants are in a few blocks of an identity chain of four.
 */
import { randomBytes } from 'node:crypto';
import type { Verifier } from '@slipstream/ports';
import {
  authorityMessage,
  type Credential,
  type CredentialMemory,
  createCredentialMemory,
  type DecodedTransaction,
  decodeTransaction,
  GENESIS_EPOCH,
  makeCredential,
  sessionKeyOf,
  type Transaction,
} from '@slipstream/types';
import { type Claim, claim, printTable, quantile } from '../../../scripts/bench/claim.ts';
import {
  byCredential,
  byHash,
  person,
  prepared,
  sessionOf,
  signed,
  type TestChain,
  type TestSession,
  testChain,
} from '../../execution/test/session-world.ts';
import { sessionChainOf } from '../../types/test/session-chain.ts';
import {
  type AuthorityChecks,
  createAuthorityChecks,
  createCachedVerifier,
  createVerificationCache,
  SIP_KEY_BYTES,
  VERIFICATION_CACHE_DEFAULTS,
} from '../src/index.ts';

const BLOCKS = 4;
const ALICE = person('alice');
const WRITE = { kind: 'setData', name: 'n', value: new Uint8Array(8) } as const;

interface User {
  readonly session: TestSession;
  readonly credential: Credential;
}

interface Node {
  readonly opening: CredentialMemory;
  readonly executing: CredentialMemory;
  readonly checks: AuthorityChecks;
}

interface Way {
  readonly name: string;
  readonly transactions: readonly DecodedTransaction[];
  /** For each round. */
  node(): Node;
  /** Bounded where this way is slow. */
  readonly count: number;
}

async function grantAll(identity: TestChain, target: TestChain, users: number): Promise<readonly User[]> {
  const made: User[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    const sessions = Array.from({ length: users / BLOCKS }, (_, i) =>
      sessionOf(identity, target, ALICE, { key: `user ${block} ${i}`, service: `service ${block} ${i}` }),
    );
    const executed = identity.execute(sessions.map(({ action }) => signed(identity, ALICE, action)));
    for (const [i, session] of sessions.entries()) {
      const credential = makeCredential(
        session.grant,
        await identity.prove(executed, i),
        identity.committeeCertificate,
      );
      if (!credential.ok) throw new Error(credential.error);
      made.push({ session, credential: credential.value });
    }
  }
  return made;
}

function cached(verifier: Verifier): Verifier {
  const hashKey = new Uint8Array(randomBytes(SIP_KEY_BYTES));
  return createCachedVerifier(verifier, createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey }));
}

/** us of all threads per transaction. */
async function take(way: Way, target: TestChain, verifier: Verifier): Promise<number> {
  const node = way.node();
  const some = way.transactions.slice(0, way.count);
  const before = process.cpuUsage();
  const decoded = some.map(({ bytes }) => decodeTransaction(bytes, node.opening));
  const answers = await verifier.checkAccounts(decoded.map(accountOf), 'chunk');
  if (!answers.every(Boolean)) throw new Error('a signature failed');
  const faults = await Promise.all(
    decoded.map(({ transaction }) => node.checks.check(transaction as Transaction, 'chunk', GENESIS_EPOCH)),
  );
  if (faults.some((fault) => fault !== undefined)) throw new Error(`a credential failed: ${faults.find(Boolean)}`);
  const { skipped } = target.execute(some.map(({ bytes }) => prepared(decodeTransaction(bytes, node.executing))));
  const used = process.cpuUsage(before);
  if (skipped.length > 0) throw new Error(`skipped: ${skipped[0]?.reason}`);
  return (used.user + used.system) / some.length;
}

function accountOf({ transaction, id }: DecodedTransaction) {
  const { body, auth } = transaction as Transaction;
  const publicKey = auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
  return { publicKey, message: authorityMessage(id, auth), signature: auth.signature };
}

export async function benchSessions(smoke: boolean): Promise<Claim[]> {
  const users = smoke ? 16 : 1024;
  const rounds = smoke ? 1 : 7;
  const identity = testChain('identity', { balances: [ALICE.account] });
  const samples = new Map<string, number[]>();
  const newTarget = () => testChain('target', { trusted: [identity.rootKey] });
  const granted = await grantAll(identity, newTarget(), users);
  for (let round = 0; round <= rounds; round++) {
    const target = newTarget();
    for (const way of await waysOf(target, granted, smoke)) {
      const us = await take(way, target, target.verifier);
      // The first round is warm-up.
      if (round > 0) samples.set(way.name, [...(samples.get(way.name) ?? []), us]);
    }
  }
  const median = (name: string): number => quantile(samples.get(name) ?? [], 0.5);
  const plain = median('plain');
  printTable(
    'A transaction from bytes to executed, us of CPU on all threads',
    ['', 'us', 'of plain'],
    [...samples.keys()].map((name) => [name, median(name), median(name) / plain]),
  );
  const count = rounds * users;
  return [
    claim('session_hash_cpu_of_plain', median('id') / plain, 'share', count),
    claim('session_known_cpu_of_plain', median('known') / plain, 'share', count),
    claim('session_1_use_cpu_of_plain', median('new') / plain, 'share', count),
    claim('session_10_uses_cpu_of_plain', median('10 uses') / plain, 'share', count),
    claim('session_100_uses_cpu_of_plain', median('100 uses') / plain, 'share', count),
    claim('session_uncached_cpu_of_cached', median('new, no cache') / median('new'), 'ratio', count),
    claim('plain_cpu_us', plain, 'us', count),
  ];
}

async function waysOf(target: TestChain, users: readonly User[], smoke: boolean): Promise<readonly Way[]> {
  const chain = sessionChainOf(target);
  function nodeWith(verifier: Verifier): Node {
    const opening = createCredentialMemory();
    return { opening, executing: createCredentialMemory(), checks: createAuthorityChecks(verifier, chain, opening) };
  }
  const actions = [WRITE];
  const inline = ({ session, credential }: User) => byCredential(target, session, credential, { actions });
  const byId = ({ session }: User) => byHash(target, session, { actions });
  const warm = cached(target.verifier);
  const known = nodeWith(warm);
  for (const user of users) {
    const { bytes } = inline(user);
    await known.checks.check(
      decodeTransaction(bytes, known.opening).transaction as Transaction,
      'chunk',
      GENESIS_EPOCH,
    );
    known.executing.keep(user.credential);
  }
  const few = Math.min(users.length, smoke ? 4 : 64);
  const all = users.length;
  function usedBy(some: readonly User[], uses: number): Pick<Way, 'transactions' | 'count'> {
    const transactions = some.flatMap((user) => [inline(user), ...Array.from({ length: uses - 1 }, () => byId(user))]);
    return { transactions, count: transactions.length };
  }
  const isNew = () => nodeWith(warm);
  const plain = () => users.map(({ session }) => signed(target, session.key, WRITE));
  // The order matters: later entries find all users' records in the state.
  return [
    { name: 'plain', transactions: plain(), node: () => known, count: all },
    { name: '10 uses', node: isNew, ...usedBy(users.slice(0, Math.ceil(all / 10)), 10) },
    { name: '100 uses', node: isNew, ...usedBy(users.slice(-Math.ceil(all / 100)), 100) },
    { name: 'new, no cache', transactions: users.map(inline), node: () => nodeWith(target.verifier), count: few },
    { name: 'new', transactions: users.map(inline), node: isNew, count: all },
    { name: 'known', transactions: users.map(inline), node: () => known, count: all },
    { name: 'id', transactions: users.map(byId), node: () => known, count: all },
    { name: 'plain', transactions: plain(), node: () => known, count: all },
  ];
}
