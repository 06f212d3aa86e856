/**
 * Pacemaker: the deadlines of the current view, and their adaptation.
 *
 * One multiplier for grace, leader and view timeouts grows by 1.5 on each consecutive view that was nullified, or given up here, is
 * capped when the view timeout reaches maxTimeoutMs, and returns to 1 on a finalization. Deadlines are data: the core asks for one wake-up.
 */
import { type ConsensusOptions, TIMEOUT_GROWTH } from './options.ts';

export interface Pacemaker {
  /** `idle`: nothing to include is known, so a leader may wait idleBlockIntervalMs. `skip`: the leader is known to be silent. */
  enter(nowMs: number, mode: { readonly idle: boolean; readonly skip: boolean }): void;
  /** Something to include turned up: the extension for idle views ends now. */
  busy(nowMs: number): void;
  /** There is nothing to include any more: the leader may wait now. */
  idle(): void;
  /** The view before was nullified, or given up here. */
  nullified(): void;
  finalized(): void;
  readonly enteredMs: number;
  readonly leaderDeadlineMs: number;
  readonly viewDeadlineMs: number;
  readonly graceDeadlineMs: number;
  readonly multiplier: number;
  readonly state: PacemakerState;
}

/** All that it remembers, as plain data. */
export interface PacemakerState {
  multiplier: number;
  enteredMs: number;
  leaderDeadlineMs: number;
  viewDeadlineMs: number;
  extended: boolean;
}

const notEntered = (): PacemakerState => ({
  multiplier: 1,
  enteredMs: 0,
  leaderDeadlineMs: Number.POSITIVE_INFINITY,
  viewDeadlineMs: Number.POSITIVE_INFINITY,
  extended: false,
});

export function createPacemaker(options: ConsensusOptions, state: PacemakerState = notEntered()): Pacemaker {
  const cap = options.maxTimeoutMs / options.viewTimeoutMs;

  return {
    enter(nowMs, { idle, skip }) {
      const extension = idle ? options.idleBlockIntervalMs : 0;
      state.enteredMs = nowMs;
      state.extended = idle;
      state.leaderDeadlineMs =
        nowMs + (skip ? options.minViewMs : options.leaderTimeoutMs * state.multiplier + extension);
      state.viewDeadlineMs = nowMs + options.viewTimeoutMs * state.multiplier + extension;
    },
    busy(nowMs) {
      if (!state.extended) return;
      state.extended = false;
      state.leaderDeadlineMs = Math.min(state.leaderDeadlineMs, nowMs + options.leaderTimeoutMs * state.multiplier);
      state.viewDeadlineMs = Math.min(state.viewDeadlineMs, nowMs + options.viewTimeoutMs * state.multiplier);
    },
    idle() {
      if (state.extended) return;
      state.extended = true;
      state.leaderDeadlineMs += options.idleBlockIntervalMs;
      state.viewDeadlineMs += options.idleBlockIntervalMs;
    },
    nullified() {
      state.multiplier = Math.min(state.multiplier * TIMEOUT_GROWTH, cap);
    },
    finalized() {
      state.multiplier = 1;
    },
    get enteredMs() {
      return state.enteredMs;
    },
    get leaderDeadlineMs() {
      return state.leaderDeadlineMs;
    },
    get viewDeadlineMs() {
      return state.viewDeadlineMs;
    },
    get graceDeadlineMs() {
      return state.enteredMs + options.graceMs * state.multiplier;
    },
    get multiplier() {
      return state.multiplier;
    },
    state,
  };
}
