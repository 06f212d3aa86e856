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
  /** `waitMs`: so long a leader may wait before it proposes. `skip`: it is known to be silent. */
  enter(nowMs: number, mode: { readonly waitMs: number; readonly skip: boolean }): void;
  /** It may wait so long from now on: less, since there is something to include; or more, since there is nothing any more. */
  waits(nowMs: number, waitMs: number): void;
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
  waitMs: number;
}

const notEntered = (): PacemakerState => ({
  multiplier: 1,
  enteredMs: 0,
  leaderDeadlineMs: Number.POSITIVE_INFINITY,
  viewDeadlineMs: Number.POSITIVE_INFINITY,
  waitMs: 0,
});

export function createPacemaker(options: ConsensusOptions, state: PacemakerState = notEntered()): Pacemaker {
  const cap = options.maxTimeoutMs / options.viewTimeoutMs;
  const leaderTimeoutMs = () => options.leaderTimeoutMs * state.multiplier;
  const viewTimeoutMs = () => options.viewTimeoutMs * state.multiplier;

  return {
    enter(nowMs, { waitMs, skip }) {
      state.enteredMs = nowMs;
      state.waitMs = waitMs;
      state.leaderDeadlineMs = nowMs + (skip ? options.minViewMs : waitMs + leaderTimeoutMs());
      state.viewDeadlineMs = nowMs + waitMs + viewTimeoutMs();
    },
    waits(nowMs, waitMs) {
      const moreMs = waitMs - state.waitMs;
      state.waitMs = waitMs;
      if (moreMs > 0) {
        state.leaderDeadlineMs += moreMs;
        state.viewDeadlineMs += moreMs;
      } else if (moreMs < 0) {
        state.leaderDeadlineMs = Math.min(state.leaderDeadlineMs, nowMs + waitMs + leaderTimeoutMs());
        state.viewDeadlineMs = Math.min(state.viewDeadlineMs, nowMs + waitMs + viewTimeoutMs());
      }
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
