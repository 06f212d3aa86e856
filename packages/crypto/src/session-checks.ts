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
import { sha256, toHex } from '@slipstream/primitives';
import {
  type AuthorityFault,
  type CredentialSignatures,
  checkCredentialProof,
  checkSessionUse,
  credentialInBytes,
  type SessionChain,
  type Transaction,
} from '@slipstream/types';
import type { Budget } from './budgets.ts';

export interface SessionCheckOptions {
  /** True credentials remembered, by hash: 100 bytes each. */
  readonly credentialsMax: number;
}

export const SESSION_CHECK_DEFAULTS: SessionCheckOptions = { credentialsMax: 16_384 };

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
   * `bytes` are the transaction's own. With a budget, a token is taken before the first BLS verification of an unknown credential.
   * Rejects when the verifier does.
   */
  check(transaction: Transaction, bytes: Uint8Array, priority: Priority, budget?: Budget): Promise<SessionVerdict>;
  stats(): SessionCheckStats;
}

export function createSessionChecks(
  verifier: Pick<Verifier, 'checkAggregate' | 'checkCertificate'>,
  chain: SessionChain,
  { credentialsMax }: SessionCheckOptions,
): SessionChecks {
  /** Hashes of true credentials, oldest use first. */
  const good = new Set<string>();
  const underWay = new Map<string, Promise<AuthorityFault | undefined>>();
  const counts = { checked: 0, known: 0, refused: 0, metered: 0 };

  function isKnown(name: string): boolean {
    if (!good.delete(name)) return false;
    good.add(name);
    return true;
  }

  function remember(name: string): void {
    good.add(name);
    if (good.size > credentialsMax) good.delete(good.keys().next().value as string);
  }

  function refuse(fault: AuthorityFault): AuthorityFault {
    counts.refused += 1;
    return fault;
  }

  async function check(
    transaction: Transaction,
    bytes: Uint8Array,
    priority: Priority,
    budget?: Budget,
  ): Promise<SessionVerdict> {
    const { auth } = transaction;
    if (auth.scheme !== 'session') return undefined;
    const misuse = checkSessionUse(transaction, auth.credential, chain);
    if (misuse !== undefined) return refuse(misuse);
    const name = toHex(sha256(credentialInBytes(bytes)));
    if (isKnown(name)) {
      counts.known += 1;
      return undefined;
    }
    const running = underWay.get(name);
    if (running !== undefined) return running;
    const proven = checkCredentialProof(auth.credential, chain);
    if (!proven.ok) return refuse(proven.error);
    if (budget?.take() === false) {
      counts.metered += 1;
      return 'not-now';
    }
    counts.checked += 1;
    const verdict = checkSignatures(proven.value, priority).finally(() => underWay.delete(name));
    underWay.set(name, verdict);
    const fault = await verdict;
    if (fault !== undefined) return refuse(fault);
    budget?.giveBack();
    remember(name);
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
    const vouched = { message: root.message, publicKeys: [root.key], aggregate: root.signature };
    if (!(await verifier.checkAggregate(vouched, priority))) return 'session-wrong-committee';
    const certified = { message: state.message, publicKeys, aggregate: state.aggregate };
    return (await verifier.checkAggregate(certified, priority)) ? undefined : 'session-bad-certificate';
  }

  return { check, stats: () => ({ ...counts }) };
}
