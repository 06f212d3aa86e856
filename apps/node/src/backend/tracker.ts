/**
 * Tracker: where the transactions that were submitted here stand, and who waits for which of them.
 *
 * It knows what passed through this node lately; the ledger knows what is committed. Bounded: the oldest are forgotten first.
 */
import type { TransactionStatus, WaitStage } from '@slipstream/schema';

/** Under way: what the pool and the chunks that wait for their blocks may hold of one node's clients. */
const OPEN_MAX = 300_000;
/** Ended ones, which the ledger knows too: for whoever asks right after. */
const ENDED_MAX = 20_000;

export interface Tracked {
  readonly status: TransactionStatus;
  readonly expiryMs: number | undefined;
  readonly height: number | undefined;
  /** Of its receipt. */
  readonly index: number | undefined;
  readonly reason: string | undefined;
}

interface Move {
  readonly height?: number;
  readonly index?: number;
  readonly reason?: string;
}

export interface Tracker {
  get(id: string): Tracked | undefined;
  /** A submission was accepted. Nothing changes when it is known. */
  submitted(id: string, expiryMs: number): void;
  /** Moves forward only: a status never goes back. */
  moved(id: string, status: TransactionStatus, more?: Move): void;
  has(id: string): boolean;
  /** Accepted here and not ended. */
  readonly openCount: number;
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
  const open = new Map<string, Tracked>();
  const ended = new Map<string, Tracked>();
  const waiters = new Map<string, Set<() => void>>();

  const get = (id: string) => open.get(id) ?? ended.get(id);

  function put(entries: Map<string, Tracked>, id: string, tracked: Tracked, max: number): void {
    entries.set(id, tracked);
    if (entries.size > max) entries.delete(entries.keys().next().value as string);
  }

  function set(id: string, tracked: Tracked): void {
    if (RANK[tracked.status] < RANK.final) put(open, id, tracked, OPEN_MAX);
    else {
      open.delete(id);
      put(ended, id, tracked, ENDED_MAX);
    }
    for (const wake of waiters.get(id) ?? []) wake();
    onMoved(id, tracked);
  }

  return {
    get,
    has: (id) => get(id) !== undefined || waiters.has(id),
    get openCount() {
      return open.size;
    },
    submitted(id, expiryMs) {
      const nowhere = { height: undefined, index: undefined, reason: undefined };
      if (!get(id)) set(id, { status: 'pending', expiryMs, ...nowhere });
    },
    moved(id, status, { height, index, reason } = {}) {
      const before = get(id);
      if (!before && !waiters.has(id)) return;
      if (before && RANK[before.status] >= RANK[status]) return;
      set(id, { status, expiryMs: before?.expiryMs, height: height ?? before?.height, index, reason });
    },
    wait(id, stages, signal) {
      const rank = Math.max(0, ...stages.map((stage) => RANK[stage]));
      const reached = () => RANK[get(id)?.status ?? 'pending'] >= rank;
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
      for (const [id, { status, expiryMs }] of open) {
        if (status !== 'ordered' && expiryMs !== undefined && expiryMs < beforeMs) expired.push(id);
      }
      return expired;
    },
  };
}
