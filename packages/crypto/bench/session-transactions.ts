/**
 * Session transactions as a validator takes them: decoded, authorized, executed. CPU time a transaction against plain Ed25519.
 *
 *   plain        the sender's own signature
 *   no cache     a credential, both BLS verifications
 *   cache        a credential never seen, both BLS results from the verification cache (other users of the same block)
 *   known        a credential seen before
 *   hash         the grant's id: the state has the rest
 *
 * The grants of all users lie in a few blocks of an identity chain of four; execution is real, on one thread.
 */
import { randomBytes } from 'node:crypto';
import type { Verifier } from '@slipstream/ports';
import {
  type Credential,
  committeeOf,
  type DecodedTransaction,
  decodeTransaction,
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
import {
  createCachedVerifier,
  createSessionChecks,
  createVerificationCache,
  SESSION_CHECK_DEFAULTS,
  type SessionChecks,
  VERIFICATION_CACHE_DEFAULTS,
} from '../src/index.ts';

const BLOCKS = 4;
const ALICE = person('alice');
const WRITE = { kind: 'setData', name: 'n', value: new Uint8Array(8) } as const;

interface User {
  readonly session: TestSession;
  readonly credential: Credential;
}

interface Way {
  readonly name: string;
  readonly transactions: readonly DecodedTransaction[];
  /** Made anew for each round. */
  checks(): SessionChecks;
  /** Only so many: it is slow. */
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
  const hashKey = new Uint8Array(randomBytes(8));
  return createCachedVerifier(verifier, createVerificationCache({ ...VERIFICATION_CACHE_DEFAULTS, hashKey }));
}

/** CPU time of all threads, us a transaction: from bytes to executed. */
async function take(way: Way, target: TestChain, verifier: Verifier): Promise<number> {
  const checks = way.checks();
  const some = way.transactions.slice(0, way.count);
  const before = process.cpuUsage();
  const decoded = some.map(({ bytes }) => decodeTransaction(bytes));
  const answers = await verifier.checkAccounts(decoded.map(accountOf), 'chunk');
  if (!answers.every(Boolean)) throw new Error('a signature failed');
  const faults = await Promise.all(
    decoded.map(({ transaction, bytes }) => checks.check(transaction as Transaction, bytes, 'chunk')),
  );
  if (faults.some((fault) => fault !== undefined)) throw new Error(`a credential failed: ${faults.find(Boolean)}`);
  const { skipped } = target.execute(decoded.map(prepared));
  const used = process.cpuUsage(before);
  if (skipped.length > 0) throw new Error(`skipped: ${skipped[0]?.reason}`);
  return (used.user + used.system) / some.length;
}

function accountOf({ transaction, id: message }: DecodedTransaction) {
  const { body, auth } = transaction as Transaction;
  const publicKey = auth.scheme === 'ed25519' ? body.sender.bytes : sessionKeyOf(auth);
  return { publicKey, message, signature: auth.signature };
}

export async function benchSessions(smoke: boolean): Promise<Claim[]> {
  const users = smoke ? 16 : 1024;
  const rounds = smoke ? 1 : 7;
  const identity = testChain('identity', { balances: [ALICE.account] });
  const samples = new Map<string, number[]>();
  const newTarget = () => testChain('target', { trusted: [identity.rootKey] });
  const granted = await grantAll(identity, newTarget(), users);
  for (let round = 0; round < rounds; round++) {
    const target = newTarget();
    for (const way of await waysOf(target, granted, smoke)) {
      samples.set(way.name, [...(samples.get(way.name) ?? []), await take(way, target, target.verifier)]);
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
    claim('session_cpu_of_plain', median('cache') / plain, 'share', count),
    claim('session_known_cpu_of_plain', median('known') / plain, 'share', count),
    claim('session_hash_cpu_of_plain', median('hash') / plain, 'share', count),
    claim('session_uncached_cpu_of_cached', median('no cache') / median('cache'), 'ratio', count),
    claim('session_cpu_us', median('cache'), 'us', count),
    claim('plain_cpu_us', plain, 'us', count),
  ];
}

/** In this order: the state must know a session before its id is used. */
async function waysOf(target: TestChain, users: readonly User[], smoke: boolean): Promise<readonly Way[]> {
  const chain = { genesis: target.genesis, genesisHash: target.genesisHash, committee: committeeOf(target.genesis) };
  const checksWith = (verifier: Verifier) => createSessionChecks(verifier, chain, SESSION_CHECK_DEFAULTS);
  const actions = [WRITE];
  const inline = () => users.map(({ session, credential }) => byCredential(target, session, credential, { actions }));
  const warm = cached(target.verifier);
  const known = checksWith(warm);
  const few = Math.min(users.length, smoke ? 4 : 64);
  for (const { transaction, bytes } of inline()) await known.check(transaction as Transaction, bytes, 'chunk');
  const all = users.length;
  return [
    {
      name: 'plain',
      transactions: users.map(({ session }) => signed(target, session.key, WRITE)),
      checks: () => known,
      count: all,
    },
    { name: 'no cache', transactions: inline(), checks: () => checksWith(target.verifier), count: few },
    { name: 'cache', transactions: inline(), checks: () => checksWith(warm), count: all },
    { name: 'known', transactions: inline(), checks: () => known, count: all },
    {
      name: 'hash',
      transactions: users.map(({ session }) => byHash(target, session, { actions })),
      checks: () => known,
      count: all,
    },
  ];
}
