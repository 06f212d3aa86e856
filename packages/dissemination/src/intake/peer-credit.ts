/**
 * Peer credit: what the transactions of a peer, or of a client's address, may cost before they have brought anything. In looks: one is
 * what a transfer costs.
 *
 *   frame --too many in vain lately?--> not even decoded
 *     \--> judged --> in checks, as many at a time as it has credit for --good--> credit for one more
 *                     (a validator: all)                                 \--bad--> as at the beginning
 *
 * A key costs nothing, and twenty a second may come from one address. Without credit each new one has thousands of bad signatures
 * verified until the first verdict is back, and transactions that are known, expired or not covered are nobody's offence, but each
 * costs the main thread 6 us. That holds for a validator's too: a Byzantine one that sent the same ones again had all of a thread.
 * Others cost more, a credential that nobody has seen before twenty times as much: whoever chose those had all of a thread again.
 */
import type { Clock } from '@slipstream/ports';
import type { Credential, DecodedTransaction } from '@slipstream/types';

export interface PeerCredit {
  /** Looks at what the peer sends now that may bring nothing; the rest is not looked at. At 0 it is not even decoded. */
  workLeft(peer: string): number;
  /** Whether one more of its transactions may be checked, beside `before` others that are about to be. */
  mayCheck(peer: string, before: number): boolean;
  /** So many of its transactions go into checks; and came back: these by whom they are said to be, those not. */
  startChecks(peer: string, count: number): void;
  endChecks(peer: string, count: number, verdicts: { readonly good: number; readonly bad: number }): void;
  /** So many looks brought nothing, whatever for. */
  chargeWasted(peer: string, looks: number): void;
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
/** Looks that bring nothing: of whoever has not been heard of, what comes back, and at most. */
export interface WorkBudget {
  readonly first: number;
  readonly perSecond: number;
  readonly max: number;
}

/** A full node that follows late sends again 2,000 every two seconds, which may all be known here, and be of several actions each. */
export const PEER_WORK: WorkBudget = { first: 512, perSecond: 4_000, max: 8_000 };
/** It passes on what many full nodes send again. What is not taken from it, it packs itself, a little later (forwarder.ts). */
export const VALIDATOR_WORK: WorkBudget = { first: 40_000, perSecond: 10_000, max: 40_000 };
/** What is refused of one who offers several times what a chain carries; 60 ms of a second. */
export const CLIENT_WORK: WorkBudget = { first: 20_000, perSecond: 10_000, max: 20_000 };
const ACCOUNTS_MAX = 4_096;

export function createPeerCredit(
  { clock }: { readonly clock: Pick<Clock, 'monotonicMs'> },
  rateOf: (peer: string) => WorkBudget,
): PeerCredit {
  /** The one heard of longest ago first. */
  const accounts = new Map<string, Account>();

  function accountOf(peer: string): Account {
    const nowMs = clock.monotonicMs();
    const { first, perSecond, max } = rateOf(peer);
    const account = accounts.get(peer) ?? { checking: 0, credit: CREDIT_FIRST, vainLeft: first, atMs: nowMs };
    accounts.delete(peer);
    accounts.set(peer, account);
    account.vainLeft = Math.min(max, account.vainLeft + ((nowMs - account.atMs) * perSecond) / 1_000);
    account.atMs = nowMs;
    if (accounts.size > ACCOUNTS_MAX) accounts.delete(accounts.keys().next().value as string);
    return account;
  }

  return {
    workLeft: (peer) => Math.max(0, Math.floor(accountOf(peer).vainLeft)),
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
    chargeWasted(peer, looks) {
      accountOf(peer).vainLeft -= looks;
    },
  };
}

/** To parse a credential takes 120 us, and up to 470 with its bytes; any action but a transfer 4 to 10, and 0.7 each output. */
const CREDENTIAL_COST = 20;
const BYTES_PER_COST_UNIT = 512;
const OUTPUTS_PER_COST_UNIT = 8;

/** What it has cost to look at this transaction. */
export function costUnitsOf(
  { bytes, transaction }: DecodedTransaction,
  { isTrue }: { readonly isTrue: (credential: Credential) => boolean },
): number {
  if (transaction === undefined) return 1;
  const { body, auth } = transaction;
  let looks = 0;
  for (const action of body.actions) {
    if (action.kind === 'transferMany') looks += 1 + action.outputs.length / OUTPUTS_PER_COST_UNIT;
    else if (action.kind !== 'transfer') looks += 1;
  }
  // One that is known to be true is not parsed.
  const isParsed = auth.scheme === 'session' && !isTrue(auth.credential);
  return isParsed ? looks + CREDENTIAL_COST + bytes.length / BYTES_PER_COST_UNIT : Math.max(1, looks);
}
