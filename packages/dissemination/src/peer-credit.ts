/**
 * Peer credit: what the transactions of a peer may cost before they have brought anything.
 *
 *   frame --too many in vain lately?--> not even decoded
 *     \--> judged --> in checks, as many at a time as it has credit for --good--> credit for one more
 *                     (a validator: all)                                 \--bad--> as at the beginning
 *
 * A key costs nothing, and twenty a second may come from one address. Without credit each new one has thousands of bad signatures
 * verified until the first verdict is back, and transactions that are known, expired or not covered are nobody's offence, but each
 * costs the main thread 6 us. That holds for a validator's too: a Byzantine one that sent the same ones again had all of a thread.
 */
import type { Clock, PeerKey } from '@slipstream/ports';

export interface PeerCredit {
  /** How many of what the peer sends now may bring nothing; the rest is not looked at. At 0 it is not even decoded. */
  vainMax(peer: PeerKey): number;
  /** Whether one more of its transactions may be checked, beside `before` others that are about to be. */
  mayCheck(peer: PeerKey, before: number): boolean;
  /** So many of its transactions go into checks; and came back: these by whom they are said to be, those not. */
  began(peer: PeerKey, count: number): void;
  ended(peer: PeerKey, count: number, verdicts: { readonly good: number; readonly bad: number }): void;
  /** So many brought nothing, whatever for. */
  vain(peer: PeerKey, count: number): void;
}

interface Account {
  checking: number;
  credit: number;
  vainLeft: number;
  atMs: number;
}

/** 12 ms of verification. */
const CREDIT_FIRST = 256;
const CREDIT_MAX = 20_000;
/** A full node that follows late sends again 2,000 every two seconds, which may all be known here. */
const VAIN_OF_STRANGER = { first: 512, perSecond: 1_000, max: 4_000 };
/** It passes on what many full nodes send again. What is not taken from it, it packs itself, a little later (forwarder.ts). */
const VAIN_OF_VALIDATOR = { first: 40_000, perSecond: 10_000, max: 40_000 };
const ACCOUNTS_MAX = 4_096;

export function createPeerCredit(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  validators: ReadonlySet<PeerKey>,
): PeerCredit {
  /** The one heard of longest ago first. */
  const accounts = new Map<PeerKey, Account>();

  function accountOf(peer: PeerKey): Account {
    const nowMs = clock.monotonicMs();
    const { first, perSecond, max } = validators.has(peer) ? VAIN_OF_VALIDATOR : VAIN_OF_STRANGER;
    const account = accounts.get(peer) ?? { checking: 0, credit: CREDIT_FIRST, vainLeft: first, atMs: nowMs };
    accounts.delete(peer);
    accounts.set(peer, account);
    account.vainLeft = Math.min(max, account.vainLeft + ((nowMs - account.atMs) * perSecond) / 1_000);
    account.atMs = nowMs;
    if (accounts.size > ACCOUNTS_MAX) accounts.delete(accounts.keys().next().value as PeerKey);
    return account;
  }

  return {
    vainMax: (peer) => Math.max(0, Math.floor(accountOf(peer).vainLeft)),
    mayCheck(peer, before) {
      const { checking, credit } = accountOf(peer);
      return checking + before < credit;
    },
    began(peer, count) {
      accountOf(peer).checking += count;
    },
    ended(peer, count, { good, bad }) {
      const account = accountOf(peer);
      account.checking = Math.max(0, account.checking - count);
      account.credit = bad > 0 ? CREDIT_FIRST : Math.min(CREDIT_MAX, account.credit + good);
    },
    vain(peer, count) {
      accountOf(peer).vainLeft -= count;
    },
  };
}
