/**
 * Session checks: verifies session credentials, cheapest check first. A verified credential stays valid.
 *
 *   use (chain, issuer, account, scope) --> verified before? --> proof, path, digests --> root over committee --> committee over state
 *                                               \--yes--> true
 *
 * The Verifier's cache shares both BLS verifications among sessions of a block and committee; credentials that arrive together are checked
 * as batches, all roots first. The verdict depends only on the transaction's
 * bytes and the genesis; the memory here never holds failures. The session key's signature, and all that needs time or state, are checked
 * elsewhere.
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
import { createStatementGathering } from './statement-gathering.ts';
import { createUnderWay } from './under-way.ts';

export interface SessionCheckStats {
  /** Credentials: proofs checked; known; false or misused. */
  readonly checked: number;
  readonly known: number;
  readonly refused: number;
  /** The sender's budget was spent. */
  readonly metered: number;
}

/** Undefined: valid. */
type SessionVerdict = AuthorityFault | 'not-now' | undefined;

export interface SessionChecks {
  /** Synchronous if known. An unknown one takes a token before its proof is read (0.2 ms with 256 members). Rejects with the verifier. */
  check(transaction: Transaction, priority: Priority, budget?: Budget): SessionVerdict | Promise<SessionVerdict>;
  stats(): SessionCheckStats;
}

export function createSessionChecks(
  verifier: Pick<Verifier, 'checkBatch'>,
  chain: SessionChain,
  credentials: CredentialMemory,
): SessionChecks {
  const underWay = createUnderWay<SessionVerdict>();
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
