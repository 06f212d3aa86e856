/**
 * Tracker: where the transactions that were submitted here stand, and who waits for which of them.
 *
 * It knows what passed through this node lately; the ledger knows what is committed. Bounded: the oldest are forgotten first.
 */
import type { TransactionStatus, WaitStage } from '@slipstream/schema';

/** Entries kept: at 1,000 submissions a second, more than their 60 s of life. */
const ENTRIES_MAX = 100_000;

export interface Tracked {
  readonly status: TransactionStatus;
  readonly expiryMs: number | undefined;
  readonly height: number | undefined;
  readonly reason: string | undefined;
}

export interface Tracker {
  get(id: string): Tracked | undefined;
  /** A submission was accepted. Nothing changes when it is known. */
  submitted(id: string, expiryMs: number): void;
  /** Moves forward only: a status never goes back. */
  moved(id: string, status: TransactionStatus, more?: { readonly height?: number; readonly reason?: string }): void;
  has(id: string): boolean;
  /** Settles when the furthest stage, or an end, is reached, or the signal aborts. */
  wait(id: string, stages: readonly WaitStage[], signal: AbortSignal): Promise<void>;
  /** Pending ones that have expired before this time. */
  expire(beforeMs: number): readonly string[];
}

const RANK: Readonly<Record<TransactionStatus, number>> = {
  pending: 0,
  attested: 1,
  ordered: 2,
  final: 3,
  failed: 3,
  expired: 3,
};

export function createTracker(onMoved: (id: string, tracked: Tracked) => void): Tracker {
  const entries = new Map<string, Tracked>();
  const waiters = new Map<string, Set<() => void>>();

  function set(id: string, tracked: Tracked): void {
    entries.delete(id);
    entries.set(id, tracked);
    if (entries.size > ENTRIES_MAX) entries.delete(entries.keys().next().value as string);
    for (const wake of waiters.get(id) ?? []) wake();
    onMoved(id, tracked);
  }

  return {
    get: (id) => entries.get(id),
    has: (id) => entries.has(id) || waiters.has(id),
    submitted(id, expiryMs) {
      if (!entries.has(id)) set(id, { status: 'pending', expiryMs, height: undefined, reason: undefined });
    },
    moved(id, status, { height, reason } = {}) {
      const before = entries.get(id);
      if (!before && !waiters.has(id)) return;
      if (before && RANK[before.status] >= RANK[status]) return;
      set(id, { status, expiryMs: before?.expiryMs, height: height ?? before?.height, reason });
    },
    wait(id, stages, signal) {
      const rank = Math.max(0, ...stages.map((stage) => RANK[stage]));
      const reached = () => RANK[entries.get(id)?.status ?? 'pending'] >= rank;
      if (reached() || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiting = waiters.get(id) ?? new Set();
        waiters.set(id, waiting);
        const done = () => {
          waiting.delete(check);
          if (waiting.size === 0) waiters.delete(id);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const check = () => {
          if (reached()) done();
        };
        waiting.add(check);
        signal.addEventListener('abort', done);
      });
    },
    expire(beforeMs) {
      const expired: string[] = [];
      for (const [id, { status, expiryMs }] of entries) {
        if (RANK[status] < RANK.final && status !== 'ordered' && expiryMs !== undefined && expiryMs < beforeMs)
          expired.push(id);
      }
      return expired;
    },
  };
}
