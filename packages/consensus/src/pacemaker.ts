/**
 * Pacemaker: the deadlines of the current view, and their adaptation.
 *
 * One multiplier for grace, leader and view timeouts grows by 1.5 on each consecutive nullified view, is capped when the view
 * timeout reaches maxTimeoutMs, and returns to 1 on a finalization. Deadlines are data: the core asks for one wake-up.
 */
import { type ConsensusOptions, TIMEOUT_GROWTH } from './options.ts';

export interface Pacemaker {
  /** `idle`: nothing to include is known, so a leader may wait idleBlockIntervalMs. `skip`: the leader is known to be silent. */
  enter(nowMs: number, mode: { readonly idle: boolean; readonly skip: boolean }): void;
  /** Something to include turned up: the extension for idle views ends now. */
  busy(nowMs: number): void;
  /** There is nothing to include any more: the leader may wait now. */
  idle(): void;
  nullified(): void;
  finalized(): void;
  readonly enteredMs: number;
  readonly leaderDeadlineMs: number;
  readonly viewDeadlineMs: number;
  readonly graceDeadlineMs: number;
  readonly multiplier: number;
}

export function createPacemaker(options: ConsensusOptions): Pacemaker {
  const cap = options.maxTimeoutMs / options.viewTimeoutMs;
  let multiplier = 1;
  let enteredMs = 0;
  let leaderDeadlineMs = Number.POSITIVE_INFINITY;
  let viewDeadlineMs = Number.POSITIVE_INFINITY;
  let extended = false;

  return {
    enter(nowMs, { idle, skip }) {
      const extension = idle ? options.idleBlockIntervalMs : 0;
      enteredMs = nowMs;
      extended = idle;
      leaderDeadlineMs = nowMs + (skip ? options.minViewMs : options.leaderTimeoutMs * multiplier + extension);
      viewDeadlineMs = nowMs + options.viewTimeoutMs * multiplier + extension;
    },
    busy(nowMs) {
      if (!extended) return;
      extended = false;
      leaderDeadlineMs = Math.min(leaderDeadlineMs, nowMs + options.leaderTimeoutMs * multiplier);
      viewDeadlineMs = Math.min(viewDeadlineMs, nowMs + options.viewTimeoutMs * multiplier);
    },
    idle() {
      if (extended) return;
      extended = true;
      leaderDeadlineMs += options.idleBlockIntervalMs;
      viewDeadlineMs += options.idleBlockIntervalMs;
    },
    nullified() {
      multiplier = Math.min(multiplier * TIMEOUT_GROWTH, cap);
    },
    finalized() {
      multiplier = 1;
    },
    get enteredMs() {
      return enteredMs;
    },
    get leaderDeadlineMs() {
      return leaderDeadlineMs;
    },
    get viewDeadlineMs() {
      return viewDeadlineMs;
    },
    get graceDeadlineMs() {
      return enteredMs + options.graceMs * multiplier;
    },
    get multiplier() {
      return multiplier;
    },
  };
}
