/**
 * What became of each transaction that was sent.
 *
 *   sent --> refused (counted, forgotten)
 *        \-> accepted --> final | failed | expired (a node said so)
 *                    \--> lost: no node knows it any more, and the node that took it in was never restarted
 *
 * A node that is killed forgets what it had taken in and not yet passed on: such a transaction can never be included after
 * its expiry, so it counts as expired.
 */
import { createSamples, type Quantiles } from './samples.ts';

export type End = 'final' | 'failed' | 'expired' | 'lost';

export interface Sent {
  readonly id: string;
  readonly node: string;
  /** Starts of that node so far: another number later means that it has forgotten. */
  readonly nodeStarts: number;
  readonly sentMs: number;
  readonly expiryMs: number;
  accepted: boolean;
}

export interface TransactionCounts {
  readonly sent: number;
  readonly accepted: number;
  readonly final: number;
  readonly failed: number;
  readonly expired: number;
  readonly lost: number;
  /** Sent and not taken in. */
  readonly refused: number;
  /** Accepted, without an end so far. */
  readonly pending: number;
}

export interface TransactionBook {
  sent(transaction: Sent): void;
  accepted(id: string): void;
  refused(id: string): void;
  /** An end that a node told; others' transactions are ignored. */
  ended(id: string, end: End, atMs: number): void;
  /** Accepted ones without an end, oldest first. */
  pending(): readonly Sent[];
  /** Ids of up to this many that became final, the newest. */
  finalIds(): readonly string[];
  counts(): TransactionCounts;
  submitToFinalMs(): Quantiles | null;
}

/** Enough to ask for again after a crash. */
const FINAL_IDS_KEPT = 20_000;

export function createTransactionBook(): TransactionBook {
  const open = new Map<string, Sent>();
  const ends: Record<End, number> = { final: 0, failed: 0, expired: 0, lost: 0 };
  /** Ends told before the answer to the submission came. */
  const early = new Map<string, { readonly end: End; readonly atMs: number }>();
  const finalIds: string[] = [];
  const latencies = createSamples();
  let sent = 0;
  let accepted = 0;
  let refused = 0;

  function settle(transaction: Sent, end: End, atMs: number): void {
    open.delete(transaction.id);
    ends[end] += 1;
    if (end !== 'final') return;
    latencies.add(atMs - transaction.sentMs);
    finalIds.push(transaction.id);
    if (finalIds.length > FINAL_IDS_KEPT) finalIds.shift();
  }

  return {
    sent(transaction) {
      sent += 1;
      open.set(transaction.id, transaction);
    },
    accepted(id) {
      const transaction = open.get(id);
      if (transaction === undefined) return;
      accepted += 1;
      transaction.accepted = true;
      const told = early.get(id);
      early.delete(id);
      if (told) settle(transaction, told.end, told.atMs);
    },
    refused(id) {
      if (open.delete(id)) refused += 1;
      early.delete(id);
    },
    ended(id, end, atMs) {
      const transaction = open.get(id);
      if (transaction === undefined) return;
      if (transaction.accepted) settle(transaction, end, atMs);
      else early.set(id, { end, atMs });
    },
    pending: () => [...open.values()].filter((transaction) => transaction.accepted),
    finalIds: () => finalIds,
    counts: () => ({
      sent,
      accepted,
      ...ends,
      refused,
      pending: accepted - Object.values(ends).reduce((a, b) => a + b),
    }),
    submitToFinalMs: () => latencies.quantiles(),
  };
}
