/**
 * Statuses of recent transactions submitted here, and waits for them; the ledger holds committed ones. Bounded: the oldest are forgotten.
 */
import type { TransactionStatus, WaitStage } from '@slipstream/schema';
import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { type IdPrefix, prefixOf } from '../api-thread/ids.ts';

/** Open transactions: as many as pool and pending chunks may hold of one node's clients. */
const OPEN_MAX = 300_000;
/** Ended transactions that are remembered for requests right after the end; the ledger has them too. */
const ENDED_MAX = 20_000;

export interface Tracked {
  readonly status: TransactionStatus;
  readonly expiryMs: number | undefined;
  readonly height: number | undefined;
  readonly reason: string | undefined;
}

interface Move {
  readonly height?: number;
  readonly reason?: string;
}

export interface Tracker {
  get(id: string): Tracked | undefined;
  /** An accepted submission. No effect when known. */
  submitted(id: string, expiryMs: number): void;
  /** A stage behind the current one has no effect. */
  moved(id: string, status: TransactionStatus, more?: Move): void;
  has(id: string): boolean;
  /** False: no such transaction is open or waited for, so its change can be skipped. */
  mayKnow(prefix: IdPrefix): boolean;
  /** Accepted here and not ended. */
  readonly openCount: number;
  /** Resolves at the furthest stage, at an end, or when the signal aborts. */
  wait(id: string, stages: readonly WaitStage[], signal: AbortSignal): Promise<void>;
  /** Ends the waits for rows whose ids begin with `part`: their batch ran. */
  rowsRan(part: string): void;
  /** Expiry of a waited-for transaction that another node may have accepted, for `expire`. */
  endsBy(id: string, expiryMs: number): void;
  /** Open or waited-for transactions that no block after `timestampMs` can hold, with expiries. */
  expire(timestampMs: number): ReadonlyMap<string, number>;
}

interface Waiter {
  /** Ends the wait if its stage is reached. */
  readonly check: () => void;
  readonly done: () => void;
}

const RANK: Readonly<Record<TransactionStatus, number>> = {
  pending: 0,
  attested: 1,
  ordered: 2,
  final: 3,
  failed: 3,
  expired: 3,
  skipped: 3,
};

export function createTracker(onMoved: (id: string, tracked: Tracked) => void): Tracker {
  const open = new Map<string, Tracked>();
  const ended = new Map<string, Tracked>();
  /** One iterator: a new one steps over the holes of all forgotten before, 14 us each. */
  const oldestEnded = ended.keys();
  const waiters = new Map<string, Set<Waiter>>();
  const waitedUntil = new Map<string, number>();
  /** Open, waited for, not submitted here, of unknown expiry; with the block time at which they are forgotten. */
  const waitedOnly = new Map<string, number>();
  /** Open or waited-for transactions by prefix. */
  const prefixes = new Map<IdPrefix, number>();

  const get = (id: string) => open.get(id) ?? ended.get(id);

  function count(id: string, by: 1 | -1): void {
    const prefix = prefixOf(id);
    const left = (prefixes.get(prefix) ?? 0) + by;
    if (left === 0) prefixes.delete(prefix);
    else prefixes.set(prefix, left);
  }

  function setOpen(id: string, tracked: Tracked): void {
    if (!open.has(id)) count(id, 1);
    open.set(id, tracked);
    if (open.size > OPEN_MAX) forgetOpen(open.keys().next().value as string);
  }

  function forgetOpen(id: string): void {
    waitedOnly.delete(id);
    if (open.delete(id)) count(id, -1);
  }

  /** Reports no end: a stalled chain may still include one later. */
  function forgetWaitedOnly(timestampMs: number): void {
    for (const [id, untilMs] of waitedOnly) {
      if (waiters.has(id) || untilMs === Number.POSITIVE_INFINITY)
        waitedOnly.set(id, timestampMs + TRANSACTION_LIFE_MS_MAX);
      else if (untilMs <= timestampMs) forgetOpen(id);
    }
  }

  function set(id: string, tracked: Tracked): void {
    if (RANK[tracked.status] < RANK.final) setOpen(id, tracked);
    else {
      forgetOpen(id);
      ended.set(id, tracked);
      if (ended.size > ENDED_MAX) ended.delete(oldestEnded.next().value as string);
    }
    for (const { check } of [...(waiters.get(id) ?? [])]) check();
    onMoved(id, tracked);
  }

  return {
    get,
    has: (id) => get(id) !== undefined || waiters.has(id),
    mayKnow: (prefix) => prefixes.has(prefix),
    get openCount() {
      return open.size;
    },
    submitted(id, expiryMs) {
      const nowhere = { height: undefined, reason: undefined };
      if (!get(id)) set(id, { status: 'pending', expiryMs, ...nowhere });
    },
    moved(id, status, { height, reason } = {}) {
      const before = get(id);
      if (!before && !waiters.has(id)) return;
      if (before && RANK[before.status] >= RANK[status]) return;
      const expiryMs = before?.expiryMs ?? waitedUntil.get(id);
      set(id, { status, expiryMs, height: height ?? before?.height, reason });
      if (expiryMs === undefined && open.has(id)) waitedOnly.set(id, Number.POSITIVE_INFINITY);
    },
    wait(id, stages, signal) {
      const rank = Math.max(0, ...stages.map((stage) => RANK[stage]));
      const reached = () => RANK[get(id)?.status ?? 'pending'] >= rank;
      if (reached() || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const waiting = waiters.get(id) ?? new Set();
        if (!waiters.has(id)) count(id, 1);
        waiters.set(id, waiting);
        const done = () => {
          waiting.delete(waiter);
          if (waiting.size === 0 && waiters.delete(id)) {
            count(id, -1);
            waitedUntil.delete(id);
          }
          signal.removeEventListener('abort', done);
          resolve();
        };
        const waiter = { done, check: () => void (reached() && done()) };
        waiting.add(waiter);
        signal.addEventListener('abort', done);
      });
    },
    rowsRan(part) {
      if (!prefixes.has(prefixOf(part))) return;
      for (const [id, waiting] of [...waiters]) {
        if (id.startsWith(part)) for (const { done } of [...waiting]) done();
      }
    },
    endsBy(id, expiryMs) {
      if (waiters.has(id)) waitedUntil.set(id, expiryMs);
    },
    expire(timestampMs) {
      const expired = new Map<string, number>();
      for (const [id, { expiryMs }] of open) {
        if (expiryMs !== undefined && expiryMs <= timestampMs) expired.set(id, expiryMs);
      }
      for (const [id, expiryMs] of waitedUntil) {
        if (expiryMs <= timestampMs) expired.set(id, expiryMs);
      }
      forgetWaitedOnly(timestampMs);
      return expired;
    },
  };
}
