/**
 * Authority checks: session credentials, and signatures of validators' keys inside actions, cheapest check first. A verified credential
 * stays valid.
 *
 *   use (chain, issuer, account, scope) --> verified before? --> proof, path, digests --> root over committee --> committee over state --\
 *                                               \--yes----------------------------------------------------------------------------------+
 *   possession, readiness, evidence: form --> signatures <---------------------------------------------------------------------------------/
 *
 * The Verifier's cache shares both BLS verifications among sessions of a block and committee; credentials that arrive together are checked
 * as batches, all roots first. The verdict depends only on the transaction's bytes and the genesis; the memory here never holds failures.
 * The session key's signature, and all that needs time or state, are checked elsewhere.
 */
import type { Priority, Verifier } from '@slipstream/ports';
import {
  type AuthorityFault,
  type Credential,
  type CredentialMemory,
  type CredentialSignatures,
  checkCredentialProof,
  checkSessionUse,
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
  /** Credentials and actions with signatures: checked; known; false or misused. */
  readonly checked: number;
  readonly known: number;
  readonly refused: number;
  /** The sender's budget was spent. */
  readonly metered: number;
}

/** Undefined: valid. */
type AuthorityVerdict = AuthorityFault | 'not-now' | undefined;

export interface AuthorityChecks {
  /** Synchronous if known. An unknown one takes a token before its proof is read (0.2 ms with 256 members). Rejects with the verifier. */
  check(transaction: Transaction, priority: Priority, budget?: Budget): AuthorityVerdict | Promise<AuthorityVerdict>;
  stats(): AuthorityCheckStats;
}

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

  function check(
    transaction: Transaction,
    priority: Priority,
    budget?: Budget,
  ): AuthorityVerdict | Promise<AuthorityVerdict> {
    const session = checkSession(transaction, priority, budget);
    if (!hasKeySignatures(transaction.body)) return session;
    return checkBoth(transaction, session, priority, budget);
  }

  async function checkBoth(
    { body }: Transaction,
    session: AuthorityVerdict | Promise<AuthorityVerdict>,
    priority: Priority,
    budget?: Budget,
  ): Promise<AuthorityVerdict> {
    return (await session) ?? (await checkKeys(body, priority, budget));
  }

  async function checkKeys(body: TransactionBody, priority: Priority, budget?: Budget): Promise<AuthorityVerdict> {
    const signatures = keySignaturesOf(body);
    if (typeof signatures === 'string') return refuse(signatures);
    if (signatures.length === 0) return undefined;
    if (budget?.take() === false) {
      counts.metered += 1;
      return 'not-now';
    }
    counts.checked += 1;
    let answers: readonly boolean[];
    try {
      answers = await Promise.all(signatures.map((each) => holdsAlone(each, priority)));
    } catch (cause) {
      budget?.giveBack(); // full or stopped: nothing was decided
      throw cause;
    }
    const at = answers.indexOf(false);
    if (at >= 0) return refuse((signatures[at] as KeySignature).fault);
    budget?.giveBack();
    return undefined;
  }

  function holdsAlone({ publicKey, message, signature }: KeySignature, priority: Priority): Promise<boolean> {
    return holds({ kind: 'aggregate', message, publicKeys: [publicKey], aggregate: signature }, priority);
  }

  function checkSession(
    transaction: Transaction,
    priority: Priority,
    budget?: Budget,
  ): AuthorityVerdict | Promise<AuthorityVerdict> {
    const { auth } = transaction;
    if (auth.scheme !== 'session') return undefined;
    const misuse = checkSessionUse(transaction, auth.credential, chain);
    if (misuse !== undefined) return refuse(misuse);
    if (credentials.isTrue(auth.credential)) {
      counts.known += 1;
      return undefined;
    }
    const name = credentials.nameOf(auth.credential);
    const joined = underWay.join(name, priority, () => checkSession(transaction, priority, budget));
    return joined ?? checkUnknown(auth.credential, priority, budget);
  }

  async function checkUnknown(credential: Credential, priority: Priority, budget?: Budget): Promise<AuthorityVerdict> {
    if (budget?.take() === false) {
      counts.metered += 1;
      return 'not-now';
    }
    const proven = checkCredentialProof(credential, chain);
    if (!proven.ok) return refuse(proven.error);
    counts.checked += 1;
    const name = credentials.nameOf(credential);
    let fault: AuthorityFault | undefined;
    try {
      fault = await underWay.start(name, priority, () => checkSignatures(proven.value, priority));
    } catch (cause) {
      budget?.giveBack(); // full or stopped: nothing was decided
      throw cause;
    }
    if (fault !== undefined) return refuse(fault);
    budget?.giveBack();
    credentials.keep(credential);
    return undefined;
  }

  async function checkSignatures(
    { state, issuer }: CredentialSignatures,
    priority: Priority,
  ): Promise<AuthorityFault | undefined> {
    if (issuer === undefined) {
      return (await holds({ kind: 'certificate', ...state }, priority)) ? undefined : 'session-bad-certificate';
    }
    const { root, publicKeys } = issuer;
    const { message, key, signature: aggregate } = root;
    if (!(await holds({ kind: 'aggregate', message, publicKeys: [key], aggregate }, priority))) {
      return 'session-wrong-committee';
    }
    // Uncertified keys are not decoded: hundreds would cost more than the check.
    const { message: certified, aggregate: signed } = state;
    const statement = { kind: 'aggregate', message: certified, publicKeys, aggregate: signed } as const;
    return (await holds(statement, priority)) ? undefined : 'session-bad-certificate';
  }

  return { check, stats: () => ({ ...counts }) };
}
