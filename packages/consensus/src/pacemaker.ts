/**
 * Pacemaker: the deadlines of the current view, and their adaptation.
 *
 * One multiplier for grace, leader and view timeouts grows by 1.5 on each consecutive view that was nullified, or given up here, is
 * capped when the view timeout reaches maxTimeoutMs, and returns to 1 on a finalization. Deadlines are data: the core asks for one wake-up.
 *
 * A leader waits on purpose: for the interval between blocks, and longer when there is nothing to include. The leader and view timers
 * begin after that, so that no interval makes honest leaders lose their views.
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
  const intervalMs = options.minBlockIntervalMs;
  const idleIntervalMs = Math.max(options.idleBlockIntervalMs, intervalMs);
  const leaderTimeoutMs = () => options.leaderTimeoutMs * state.multiplier;
  const viewTimeoutMs = () => options.viewTimeoutMs * state.multiplier;

  return {
    enter(nowMs, { idle, skip }) {
      const dueMs = nowMs + (idle ? idleIntervalMs : intervalMs);
      state.enteredMs = nowMs;
      state.extended = idle;
      state.leaderDeadlineMs = skip ? nowMs + options.minViewMs : dueMs + leaderTimeoutMs();
      state.viewDeadlineMs = dueMs + viewTimeoutMs();
    },
    busy(nowMs) {
      if (!state.extended) return;
      state.extended = false;
      const dueMs = nowMs + intervalMs;
      state.leaderDeadlineMs = Math.min(state.leaderDeadlineMs, dueMs + leaderTimeoutMs());
      state.viewDeadlineMs = Math.min(state.viewDeadlineMs, dueMs + viewTimeoutMs());
    },
    idle() {
      if (state.extended) return;
      state.extended = true;
      state.leaderDeadlineMs += idleIntervalMs - intervalMs;
      state.viewDeadlineMs += idleIntervalMs - intervalMs;
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
