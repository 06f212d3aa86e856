/**
 * Session checks: is a session's credential true? Cheap first, and what is true once is true for good.
 *
 *   use (chain, issuer, account, scope) --> seen before? --> proof, path, digests --> root over committee --> committee over state
 *                                               \--yes--> true
 *
 * Both BLS verifications go through the Verifier, whose cache knows them from every other user of the same block and committee.
 * The verdict is a function of the transaction's bytes and the genesis: what is remembered here only saves work. Failures are
 * never remembered. The session key's own signature and everything that takes time or state are not judged here.
 */
import type { Priority, Verifier } from '@slipstream/ports';
import {
  type AuthorityFault,
  type Credential,
  type CredentialMemory,
  type CredentialSignatures,
  checkCredentialProof,
  checkSessionUse,
  type SessionChain,
  type Transaction,
} from '@slipstream/types';
import type { Budget } from './budgets.ts';
import { createUnderWay } from './under-way.ts';

export interface SessionCheckStats {
  /** Credentials that went through the proof; those that were known; those found false or misused. */
  readonly checked: number;
  readonly known: number;
  readonly refused: number;
  /** Not checked, because the budget of whoever sent them was spent. */
  readonly metered: number;
}

/** Undefined: it holds. `not-now`: the budget is spent, nothing was found out. */
export type SessionVerdict = AuthorityFault | 'not-now' | undefined;

export interface SessionChecks {
  /**
   * At once for a credential that is known to be true. With a budget, a token is taken before the proof of one that is not is read
   * (0.2 ms of the caller's thread with 256 members). Rejects when the verifier does.
   */
  check(transaction: Transaction, priority: Priority, budget?: Budget): SessionVerdict | Promise<SessionVerdict>;
  stats(): SessionCheckStats;
}

export function createSessionChecks(
  verifier: Pick<Verifier, 'checkAggregate' | 'checkCertificate'>,
  chain: SessionChain,
  credentials: CredentialMemory,
): SessionChecks {
  const underWay = createUnderWay<SessionVerdict>();
  const counts = { checked: 0, known: 0, refused: 0, metered: 0 };

  function refuse(fault: AuthorityFault): AuthorityFault {
    counts.refused += 1;
    return fault;
  }

  function check(
    transaction: Transaction,
    priority: Priority,
    budget?: Budget,
  ): SessionVerdict | Promise<SessionVerdict> {
    const { auth } = transaction;
    if (auth.scheme !== 'session') return undefined;
    const misuse = checkSessionUse(transaction, auth.credential, chain);
    if (misuse !== undefined) return refuse(misuse);
    if (credentials.isTrue(auth.credential)) {
      counts.known += 1;
      return undefined;
    }
    const name = credentials.nameOf(auth.credential);
    const joined = underWay.join(name, priority, () => check(transaction, priority, budget));
    return joined ?? checkUnknown(auth.credential, priority, budget);
  }

  async function checkUnknown(credential: Credential, priority: Priority, budget?: Budget): Promise<SessionVerdict> {
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
      budget?.giveBack(); // the verifier has no room, or is stopped: nothing was found out
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
      return (await verifier.checkCertificate(state, priority)) ? undefined : 'session-bad-certificate';
    }
    const { root, publicKeys } = issuer;
    const issued = { message: root.message, publicKeys: [root.key], aggregate: root.signature };
    if (!(await verifier.checkAggregate(issued, priority))) return 'session-wrong-committee';
    const certified = { message: state.message, publicKeys, aggregate: state.aggregate };
    return (await verifier.checkAggregate(certified, priority)) ? undefined : 'session-bad-certificate';
  }

  return { check, stats: () => ({ ...counts }) };
}
