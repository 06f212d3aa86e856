/**
 * Peer credit: how many transactions of a peer outside the committee may be in checks at once.
 *
 *   transactions in checks: at most its credit --good--> credit for one more      --bad--> credit as at the beginning
 *
 * Keys cost nothing, and one address may bring twenty per second. Without credit each has thousands of bad signatures verified before its
 * first verdict.
 */
export interface PeerCredit {
  /** `before`: others about to be checked. */
  mayCheck(peer: string, before: number): boolean;
  startChecks(peer: string, count: number): void;
  /** `verdicts`: numbers of good and false authorities. */
  endChecks(peer: string, count: number, verdicts: { readonly good: number; readonly bad: number }): void;
}

interface Account {
  checking: number;
  credit: number;
}

/** 12 ms of verification. */
const CREDIT_FIRST = 256;
const CREDIT_MAX = 20_000;
const ACCOUNTS_MAX = 4_096;

export function createPeerCredit(): PeerCredit {
  /** Least recently used first. */
  const accounts = new Map<string, Account>();

  function accountOf(peer: string): Account {
    const account = accounts.get(peer) ?? { checking: 0, credit: CREDIT_FIRST };
    accounts.delete(peer);
    accounts.set(peer, account);
    if (accounts.size > ACCOUNTS_MAX) accounts.delete(accounts.keys().next().value as string);
    return account;
  }

  return {
    mayCheck(peer, before) {
      const { checking, credit } = accountOf(peer);
      return checking + before < credit;
    },
    startChecks(peer, count) {
      accountOf(peer).checking += count;
    },
    endChecks(peer, count, { good, bad }) {
      const account = accountOf(peer);
      account.checking = Math.max(0, account.checking - count);
      account.credit = bad > 0 ? CREDIT_FIRST : Math.min(CREDIT_MAX, account.credit + good);
    },
  };
}
