/**
 * Tracks each sent transaction and the time to each stage from its intended send time.
 *
 *   intended --> sent --> refused (counted by reason, dropped) | unanswered (no answer from its node)
 *                   \-> accepted --> attested --> final | failed | expired
 *                               \--> lost: no node knows it, and the node that accepted it never restarted
 *
 * Latencies begin at the intended time, so a stall of the sender or of a node delays every transaction due meanwhile (no
 * coordinated omission).
 *
 * A killed node loses accepted transactions that it had not passed on. They are resent (send-again.ts). One that no node
 * accepts again can never be included after its expiry, so it counts as expired.
 */
import { createHistogram, type Histogram, type Quantiles } from '../measure/histogram.ts';

export type End = 'final' | 'failed' | 'expired' | 'lost';

export interface Sent {
  readonly id: string;
  readonly bytes: Uint8Array;
  /** The node that it was last sent to. */
  node: string;
  /** Restarts of that node at that time: a higher number later means that the node has lost it. */
  nodeStarts: number;
  /** Intended send time, on the clock of performance.now(). */
  readonly intendedMs: number;
  /** ms since 1970. */
  readonly expiryMs: number;
  accepted: boolean;
  attested: boolean;
}

export type LostTransaction = Readonly<Pick<Sent, 'id' | 'node' | 'expiryMs'>>;

export interface TransactionCounts {
  readonly sent: number;
  readonly accepted: number;
  /** Only of transactions whose chunk certification was observed. */
  readonly attested: number;
  readonly final: number;
  readonly failed: number;
  readonly expired: number;
  readonly lost: number;
  readonly refused: number;
  /** Sent, and neither accepted nor refused. */
  readonly unanswered: number;
  /** Accepted, without an end. */
  readonly pending: number;
}

export interface SentTransactions {
  sent(transaction: Sent): void;
  accepted(id: string, atMs: number): void;
  /** `retryAfterMs`: the delay that the node requested before a retry. */
  refused(id: string, reason: string, retryAfterMs?: number): void;
  unanswered(id: string): void;
  /** It was resent to another node. */
  moved(id: string, node: string, nodeStarts: number): void;
  attested(id: string, atMs: number): void;
  /** An end that a node reported. Unknown ids are ignored. */
  ended(id: string, end: End, atMs: number): void;
  /** Accepted ones without an end, oldest first. */
  pending(): readonly Sent[];
  pendingCount(): number;
  /** The first LOST_KEPT lost ones, to investigate a fault. */
  lost(): readonly LostTransaction[];
  /** Ids of the newest final transactions, at most FINAL_IDS_KEPT. */
  finalIds(): readonly string[];
  /** Every accepted one with its end so far; empty without `keepFates`. */
  fates(): ReadonlyMap<string, End | 'pending'>;
  counts(): TransactionCounts;
  refusals(): ReadonlyMap<string, number>;
  /** Refusals with a retry delay. */
  refusedForNow(): number;
  /** From the intended send time to the answer, to a certified chunk, to a committed block. */
  readonly latencies: Readonly<Record<Stage, Histogram>>;
  submitToFinalMs(): Quantiles | null;
  /** Calls `listener` at each latency, for series. Returns the function that unsubscribes. */
  onLatency(listener: (stage: Stage, ms: number) => void): () => void;
}

export const STAGES = ['accepted', 'attested', 'final'] as const;
export type Stage = (typeof STAGES)[number];

export interface SentTransactionsOptions {
  /** Retains the end of every accepted transaction for an audit; bounded by FATES_MAX. */
  readonly keepFates?: boolean;
}

/** One is a fault already, and the node's log has the others. */
export const LOST_KEPT = 20;
/** Enough to look up again after a crash. */
const FINAL_IDS_KEPT = 20_000;
/** An entry takes about 150 bytes. */
export const FATES_MAX = 5_000_000;
/** Nodes supply the reasons: those beyond this number count as 'other'. */
const REASONS_MAX = 50;

export function createSentTransactions({ keepFates = false }: SentTransactionsOptions = {}): SentTransactions {
  const open = new Map<string, Sent>();
  const fates = new Map<string, End | 'pending'>();
  const ends: Record<End, number> = { final: 0, failed: 0, expired: 0, lost: 0 };
  const reported = { sent: 0, accepted: 0, attested: 0, refused: 0, unanswered: 0 };
  /** What was reported before the response to the submission. */
  const early = new Map<string, { readonly end: End; readonly atMs: number }>();
  const refusals = new Map<string, number>();
  const finalIds: string[] = [];
  const lost: LostTransaction[] = [];
  let refusedForNow = 0;
  const latencies = { accepted: createHistogram(), attested: createHistogram(), final: createHistogram() };
  const listeners = new Set<(stage: Stage, ms: number) => void>();

  function took(stage: Stage, { intendedMs }: Sent, atMs: number): void {
    const ms = Math.max(0, atMs - intendedMs);
    latencies[stage].add(ms);
    for (const listener of listeners) listener(stage, ms);
  }

  function settle(transaction: Sent, end: End, atMs: number): void {
    open.delete(transaction.id);
    ends[end] += 1;
    if (fates.has(transaction.id)) fates.set(transaction.id, end);
    if (end === 'lost' && lost.length < LOST_KEPT) {
      const { id, node, expiryMs } = transaction;
      lost.push({ id, node, expiryMs });
    }
    if (end !== 'final') return;
    took('final', transaction, atMs);
    finalIds.push(transaction.id);
    if (finalIds.length > 2 * FINAL_IDS_KEPT) finalIds.splice(0, FINAL_IDS_KEPT);
  }

  function forget(id: string): boolean {
    early.delete(id);
    return open.delete(id);
  }

  return {
    latencies,
    sent(transaction) {
      reported.sent += 1;
      open.set(transaction.id, transaction);
    },
    accepted(id, atMs) {
      const transaction = open.get(id);
      if (transaction === undefined || transaction.accepted) return;
      reported.accepted += 1;
      transaction.accepted = true;
      took('accepted', transaction, atMs);
      if (keepFates && fates.size < FATES_MAX) fates.set(id, 'pending');
      const known = early.get(id);
      early.delete(id);
      if (known) settle(transaction, known.end, known.atMs);
    },
    refused(id, reason, retryAfterMs) {
      if (!forget(id)) return;
      if (retryAfterMs !== undefined) refusedForNow += 1;
      reported.refused += 1;
      const counted = refusals.has(reason) || refusals.size < REASONS_MAX ? reason : 'other';
      refusals.set(counted, (refusals.get(counted) ?? 0) + 1);
    },
    unanswered(id) {
      if (forget(id)) reported.unanswered += 1;
    },
    moved(id, node, nodeStarts) {
      const transaction = open.get(id);
      if (transaction) Object.assign(transaction, { node, nodeStarts });
    },
    attested(id, atMs) {
      const transaction = open.get(id);
      if (transaction === undefined || transaction.attested) return;
      reported.attested += 1;
      transaction.attested = true;
      took('attested', transaction, atMs);
    },
    ended(id, end, atMs) {
      const transaction = open.get(id);
      if (transaction === undefined) return;
      if (transaction.accepted) settle(transaction, end, atMs);
      else early.set(id, { end, atMs });
    },
    pending: () => [...open.values()].filter((transaction) => transaction.accepted),
    pendingCount: () => reported.accepted - Object.values(ends).reduce((a, b) => a + b),
    lost: () => lost,
    finalIds: () => finalIds.slice(-FINAL_IDS_KEPT),
    fates: () => fates,
    counts() {
      const { sent, accepted, attested, refused, unanswered } = reported;
      const pending = accepted - Object.values(ends).reduce((a, b) => a + b);
      return { sent, accepted, attested, ...ends, refused, unanswered, pending };
    },
    refusals: () => refusals,
    refusedForNow: () => refusedForNow,
    submitToFinalMs: () => latencies.final.quantiles(),
    onLatency(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
