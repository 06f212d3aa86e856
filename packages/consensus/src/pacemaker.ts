/**
 * Pacemaker: the deadlines of the current view, and their adaptation (consensus.md, T1 to T6).
 *
 * One multiplier for grace, leader and view timeouts grows by 1.5 on each consecutive view that was nullified, or for which this node
 * sent Nullify, until the view timeout reaches maxTimeoutMs. A finalization resets it to 1. Leader and view timers begin after a
 * leader's deliberate wait, so an honest leader never loses its view because of it.
 */
import { type ConsensusOptions, TIMEOUT_GROWTH } from './options.ts';

export interface Pacemaker {
  /** `waitMs`: the leader's deliberate wait. `futile`: too many members refuse the view to notarize it. */
  enter(nowMs: number, mode: { readonly waitMs: number; readonly futile: boolean }): void;
  /** A new wait from now on, when pending transactions appear or run out. */
  waits(nowMs: number, waitMs: number): void;
  /** Also when this node sent Nullify for the previous view. */
  nullified(): void;
  finalized(): void;
  readonly enteredMs: number;
  readonly leaderDeadlineMs: number;
  readonly viewDeadlineMs: number;
  readonly graceDeadlineMs: number;
  readonly multiplier: number;
  readonly state: PacemakerState;
}

/** Plain data. */
export interface PacemakerState {
  multiplier: number;
  enteredMs: number;
  leaderDeadlineMs: number;
  viewDeadlineMs: number;
  waitMs: number;
  futile: boolean;
}

const notEntered = (): PacemakerState => ({
  multiplier: 1,
  enteredMs: 0,
  leaderDeadlineMs: Number.POSITIVE_INFINITY,
  viewDeadlineMs: Number.POSITIVE_INFINITY,
  waitMs: 0,
  futile: false,
});

export function createPacemaker(options: ConsensusOptions, state: PacemakerState = notEntered()): Pacemaker {
  const cap = options.maxTimeoutMs / options.viewTimeoutMs;
  const leaderTimeoutMs = () => options.leaderTimeoutMs * state.multiplier;
  const viewTimeoutMs = () => options.viewTimeoutMs * state.multiplier;

  return {
    enter(nowMs, { waitMs, futile }) {
      state.enteredMs = nowMs;
      state.waitMs = waitMs;
      state.futile = futile;
      state.leaderDeadlineMs = nowMs + (futile ? options.minViewMs : waitMs + leaderTimeoutMs());
      state.viewDeadlineMs = nowMs + (futile ? options.minViewMs : waitMs + viewTimeoutMs());
    },
    waits(nowMs, waitMs) {
      const moreMs = waitMs - state.waitMs;
      state.waitMs = waitMs;
      if (state.futile) return;
      if (moreMs > 0) {
        // From the view's beginning, so that a flag that toggles cannot put off its end.
        state.leaderDeadlineMs = Math.max(state.leaderDeadlineMs, state.enteredMs + waitMs + leaderTimeoutMs());
        state.viewDeadlineMs = Math.max(state.viewDeadlineMs, state.enteredMs + waitMs + viewTimeoutMs());
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
