/**
 * Authority checks: session credentials, and signatures of validators' keys inside actions, cheapest check first. A verified credential
 * stays valid, its issuer only as long as records say so: that is checked at every use.
 *
 *   use (chain, issuer, account, scope) --> verified before? --> proof, path, digests --> root over committee --> committee over state --\
 *                                               \--yes----------------------------------------------------------------------------------+
 *   possession, readiness, evidence, handover: form --> signatures <---------------------------------------------------------------/
 *
 * The Verifier's cache shares both BLS verifications among sessions of a block and committee; credentials that arrive together are checked
 * as batches, all roots first. The verdict depends only on the transaction's bytes and the records up to the epoch of its chunk (S15); the
 * memory here never holds failures.
 * The session key's signature, and all that needs time or state, are checked elsewhere.
 */
import type { Priority, Statement, Verifier } from '@slipstream/ports';
import {
  type AuthorityFault,
  type Credential,
  type CredentialMemory,
  type CredentialSignatures,
  checkCredentialProof,
  checkSessionUse,
  type Epoch,
  hasKeySignatures,
  type KeySignature,
  keySignaturesOf,
  type SessionChain,
  type Transaction,
  type TransactionBody,
} from '@slipstream/types';
import type { Budget } from './budgets.ts';
import { createStatementGathering } from './statement-gathering.ts';
import { createUnderWay } from './under-way.ts';

export interface AuthorityCheckStats {
  /** Credentials, and signatures of keys that were checked together: checked; known; false or misused. */
  readonly checked: number;
  readonly known: number;
  readonly refused: number;
  /** The sender's budget was spent. */
  readonly metered: number;
}

/** Undefined: valid. */
type AuthorityVerdict = AuthorityFault | 'not-now' | undefined;

export interface AuthorityChecks {
  /**
   * `epoch`: of the chunk; without one, the current epoch. Synchronous without signatures of keys, if the credential is known. An unknown
   * one takes a token before its proof is read (0.2 ms with 256 members). Rejects with the verifier.
   */
  check(
    transaction: Transaction,
    priority: Priority,
    epoch: Epoch,
    budget?: Budget,
  ): AuthorityVerdict | Promise<AuthorityVerdict>;
  stats(): AuthorityCheckStats;
}

/** As many as of a credential. A transaction may have over a hundred. */
const SIGNATURES_PER_TOKEN = 2;

export function createAuthorityChecks(
  verifier: Pick<Verifier, 'checkBatch'>,
  chain: SessionChain,
  credentials: CredentialMemory,
): AuthorityChecks {
  const underWay = createUnderWay<AuthorityVerdict>();
  const holds = createStatementGathering(verifier);
  const counts = { checked: 0, known: 0, refused: 0, metered: 0 };

  function refuse(fault: AuthorityFault): AuthorityFault {
    counts.refused += 1;
    return fault;
  }

  /** A fault keeps the token. */
  async function paidBy(
    budget: Budget | undefined,
    check: () => Promise<AuthorityFault | undefined>,
  ): Promise<AuthorityVerdict> {
    if (budget?.take() === false) {
      counts.metered += 1;
      return 'not-now';
    }
    let fault: AuthorityFault | undefined;
    try {
      fault = await check();
    } catch (cause) {
      budget?.giveBack(); // full or stopped: nothing was decided
      throw cause;
    }
    if (fault !== undefined) return refuse(fault);
    budget?.giveBack();
    return undefined;
  }

  function check(
    transaction: Transaction,
    priority: Priority,
    epoch: Epoch,
    budget?: Budget,
  ): AuthorityVerdict | Promise<AuthorityVerdict> {
    const session = checkSession(transaction, priority, epoch, budget);
    if (!hasKeySignatures(transaction.body)) return session;
    return Promise.resolve(session).then((fault) => fault ?? checkKeys(transaction.body, priority, budget));
  }

  /** In order: the first false one is the verdict, whatever the budget. */
  async function checkKeys(body: TransactionBody, priority: Priority, budget?: Budget): Promise<AuthorityVerdict> {
    const signatures = keySignaturesOf(body);
    if (typeof signatures === 'string') return refuse(signatures);
    const step = budget === undefined ? signatures.length : SIGNATURES_PER_TOKEN;
    for (let from = 0; from < signatures.length; from += step) {
      const some = signatures.slice(from, from + step);
      const verdict = await paidBy(budget, () => checkSome(some, priority));
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  }

  async function checkSome(
    signatures: readonly KeySignature[],
    priority: Priority,
  ): Promise<AuthorityFault | undefined> {
    counts.checked += 1;
    const answers = await Promise.all(signatures.map((each) => holds(statementOf(each), priority)));
    return signatures[answers.indexOf(false)]?.fault;
  }

  function checkSession(
    transaction: Transaction,
    priority: Priority,
    epoch: Epoch,
    budget?: Budget,
  ): AuthorityVerdict | Promise<AuthorityVerdict> {
    const { auth } = transaction;
    if (auth.scheme !== 'session') return undefined;
    const { genesisHash } = chain;
    const misuse = checkSessionUse(transaction, auth.credential, { genesisHash, record: chain.recordOf(epoch) });
    if (misuse !== undefined) return refuse(misuse);
    if (credentials.isTrue(auth.credential)) {
      counts.known += 1;
      return undefined;
    }
    const name = credentials.nameOf(auth.credential);
    const joined = underWay.join(name, priority, () => checkSession(transaction, priority, epoch, budget));
    return joined ?? checkUnknown(auth.credential, priority, budget);
  }

  function checkUnknown(credential: Credential, priority: Priority, budget?: Budget): Promise<AuthorityVerdict> {
    return paidBy(budget, async () => {
      const proven = checkCredentialProof(credential, chain);
      if (!proven.ok) return proven.error;
      counts.checked += 1;
      const name = credentials.nameOf(credential);
      const fault = await underWay.start(name, priority, () => checkSignatures(proven.value, priority));
      if (fault === undefined) credentials.keep(credential);
      return fault;
    });
  }

  async function checkSignatures(
    { state, root }: CredentialSignatures,
    priority: Priority,
  ): Promise<AuthorityFault | undefined> {
    if (root !== undefined) {
      const { message, key, signature: aggregate } = root;
      const isRoot = await holds({ kind: 'aggregate', message, publicKeys: [key], aggregate }, priority);
      if (!isRoot) return 'session-wrong-committee';
    }
    // Keys that the root did not sign are not decoded: hundreds would cost more than the check. Without a root's signature the fee covers
    // each key. Own ones are named too: the verifier may have dropped them.
    return (await holds({ kind: 'aggregate', ...state }, priority)) ? undefined : 'session-bad-certificate';
  }

  return { check, stats: () => ({ ...counts }) };
}

function statementOf({ publicKeys, message, signature: aggregate }: KeySignature): Statement {
  return { kind: 'aggregate', message, publicKeys, aggregate };
}
