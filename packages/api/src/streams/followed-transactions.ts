/**
 * Followed transactions: accepted on a submission stream and not ended.
 *
 *   accepted --> followed --moves--> notices --> ended: no longer followed
 *                    \--overdue--> look up --/
 *
 * Memory is bounded: capacity is reserved before a transaction goes to the backend. While a reader lags, its notices are
 * merged and the newest of each transaction stays.
 */
import type { Clock } from '@slipstream/ports';
import {
  encodeNotices,
  type SubmissionNotice,
  type SubmissionNoticeWish,
  type TransactionStatus,
} from '@slipstream/schema';
import { hexOf, type TransactionId } from '@slipstream/types';
import type { NodeBackend, SubmitOutcome, TransactionMove } from '../backend.ts';

interface FollowedComponents {
  readonly backend: Pick<NodeBackend, 'transaction' | 'moves'>;
  readonly clock: Clock;
  /** Shared by all streams. */
  readonly followed: { total: number };
}

interface FollowedLimits {
  readonly submissionFollowedMax: number;
  readonly submissionFollowedTotalMax: number;
}

interface NoticeOutlet {
  /** Whether the reader keeps up. */
  canSend(): boolean;
  send(bytes: Uint8Array): void;
}

/** A block moves many transactions: moves within this delay go into one message. */
const NOTICE_DELAY_MS = 5;
const NOTICES_PER_MESSAGE_MAX = 4096;
/** Delay after expiry until the end of a transaction is looked up, and between further lookups. */
const OVERDUE_MS = 30_000;
const OVERDUE_LOOKUPS_MAX = 1000;

const ENDS: ReadonlySet<TransactionStatus> = new Set(['final', 'failed', 'expired']);

interface Followed {
  readonly number: number;
  readonly id: TransactionId;
  readonly expiryMs: number;
}

export class FollowedTransactions {
  readonly #components: FollowedComponents;
  readonly #outlet: NoticeOutlet;
  readonly #wish: SubmissionNoticeWish;
  readonly #limits: FollowedLimits;
  readonly #unsubscribe: () => void;
  readonly #followed = new Map<string, Followed>();
  #notices = new Map<number, SubmissionNotice>();
  /** Accepted, or submitted to the backend. */
  #reserved = 0;
  #isStopped = false;
  #cancelNotices: (() => void) | undefined;

  constructor(
    components: FollowedComponents,
    outlet: NoticeOutlet,
    wish: SubmissionNoticeWish,
    limits: FollowedLimits,
  ) {
    this.#components = components;
    this.#outlet = outlet;
    this.#wish = wish;
    this.#limits = limits;
    const { moves } = components.backend;
    this.#unsubscribe = wish === 'none' ? () => {} : moves.subscribe((moved) => this.#onMoves(moved));
  }

  /** Returns how many of `count` may be submitted. Without notices none is followed, so all may. */
  reserve(count: number): number {
    if (this.#wish === 'none') return count;
    const { submissionFollowedMax, submissionFollowedTotalMax } = this.#limits;
    const { followed: shared } = this.#components;
    const left = Math.min(submissionFollowedMax - this.#reserved, submissionFollowedTotalMax - shared.total);
    const reserved = Math.max(0, Math.min(count, left));
    this.#reserved += reserved;
    shared.total += reserved;
    return reserved;
  }

  release(count: number): void {
    if (this.#wish === 'none') return;
    this.#reserved -= count;
    this.#components.followed.total -= count;
  }

  /** `first`: number of the first outcome on the stream. Returns how many transactions it started to follow. */
  follow(first: number, outcomes: readonly SubmitOutcome[]): number {
    if (this.#wish === 'none') return 0;
    const before = this.#followed.size;
    for (const [at, outcome] of outcomes.entries()) {
      if (outcome.type !== 'accepted') continue;
      const number = first + at;
      const { id, status, height = 0, index = 0, expiryMs = this.#components.clock.wallMs() } = outcome;
      const key = hexOf(id);
      // When a transaction was sent twice on this stream, its notices carry the first number.
      if (this.#followed.has(key)) continue;
      if (!ENDS.has(status)) this.#followed.set(key, { number, id, expiryMs });
      if (status !== 'pending') this.#note({ number, status, height, index });
    }
    return this.#followed.size - before;
  }

  sendNotices(): void {
    while (!this.#isStopped && this.#notices.size > 0 && this.#outlet.canSend()) {
      const all = [...this.#notices.values()];
      this.#notices = new Map(all.slice(NOTICES_PER_MESSAGE_MAX).map((notice) => [notice.number, notice]));
      this.#outlet.send(encodeNotices(all.slice(0, NOTICES_PER_MESSAGE_MAX)));
    }
  }

  /** Looks up transactions long past their expiry for which no move reported an end. */
  async lookUpOverdue(): Promise<void> {
    const { backend } = this.#components;
    for (const [key, entry] of this.#overdue()) {
      const found = await backend.transaction(entry.id).catch(() => undefined);
      if (this.#isStopped || found === undefined) return;
      if (!this.#followed.has(key)) continue;
      const record = found.type === 'found' ? found.value : undefined;
      if (record !== undefined && !ENDS.has(record.status)) {
        this.#postpone(key, entry);
        continue;
      }
      this.#unfollow(key);
      const height = record?.height ?? 0;
      const index = record?.receipt?.index ?? 0;
      this.#note({ number: entry.number, status: record?.status ?? 'expired', height, index });
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.release(this.#followed.size);
    this.#followed.clear();
    this.#notices.clear();
    this.#unsubscribe();
    this.#cancelNotices?.();
  }

  #onMoves(moves: readonly TransactionMove[]): void {
    for (const { id, status, height = 0, index = 0 } of moves) {
      const entry = this.#followed.get(id);
      if (entry === undefined || status === 'pending') continue;
      if (ENDS.has(status)) this.#unfollow(id);
      this.#note({ number: entry.number, status, height, index });
    }
  }

  #unfollow(key: string): void {
    if (this.#followed.delete(key)) this.release(1);
  }

  #note(notice: SubmissionNotice): void {
    if (this.#wish === 'none' || (this.#wish === 'ends' && !ENDS.has(notice.status))) return;
    this.#notices.set(notice.number, notice);
    this.#cancelNotices ??= this.#components.clock.after(NOTICE_DELAY_MS, () => {
      this.#cancelNotices = undefined;
      this.sendNotices();
    });
  }

  #overdue(): readonly (readonly [string, Followed])[] {
    const dueMs = this.#components.clock.wallMs() - OVERDUE_MS;
    const overdue: [string, Followed][] = [];
    for (const entry of this.#followed) {
      if (entry[1].expiryMs < dueMs) overdue.push(entry);
      if (overdue.length === OVERDUE_LOOKUPS_MAX) break;
    }
    return overdue;
  }

  /** The chain stalls or this node lags, so the transaction may still be included. It goes to the end of the lookups. */
  #postpone(key: string, { number, id }: Followed): void {
    this.#followed.delete(key);
    this.#followed.set(key, { number, id, expiryMs: this.#components.clock.wallMs() });
  }
}
