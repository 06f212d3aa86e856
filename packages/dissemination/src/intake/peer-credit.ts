/**
 * Peer credit: how many transactions of a peer that is no validator may be in checks at a time.
 *
 *   transactions in checks: at most its credit --good--> credit for one more      --bad--> credit as at the beginning
 *
 * Keys cost nothing, and twenty may arrive per second from one address. Without credit each new one has thousands of bad signatures
 * verified before the first verdict is back.
 */
export interface PeerCredit {
  /** Whether one more of its transactions may be checked, beside `before` others that are about to be. */
  mayCheck(peer: string, before: number): boolean;
  /** So many of its transactions go into checks. */
  startChecks(peer: string, count: number): void;
  /** They came back, with so many good and false authorities. */
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
  /** The one used longest ago first. */
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
