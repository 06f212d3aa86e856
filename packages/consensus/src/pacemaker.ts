/**
 * Pacemaker: the deadlines of the current view, and their adaptation.
 *
 * One multiplier for grace, leader and view timeouts grows by 1.5 on each consecutive view that was nullified, or for which this node sent
 * Nullify. It is capped when the view timeout reaches maxTimeoutMs, and returns to 1 on a finalization. Deadlines are data: the core
 * requests one wake-up.
 *
 * A leader waits deliberately for the block interval, and longer when there is nothing to include. The leader and view timers begin
 * after that, so an honest leader never loses its view because of the interval.
 */
import { type ConsensusOptions, TIMEOUT_GROWTH } from './options.ts';

export interface Pacemaker {
  /**
   * `waitMs`: the leader's allowed deliberate wait. `skip`: the leader is unresponsive. `futile`: no block of
   * the view can be notarized, because too many members refuse it.
   */
  enter(nowMs: number, mode: { readonly waitMs: number; readonly skip: boolean; readonly futile: boolean }): void;
  /** Changes the allowed wait, counted from now, when pending transactions appear or run out. */
  waits(nowMs: number, waitMs: number): void;
  /** The previous view was nullified, or this node sent Nullify for it. */
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
    enter(nowMs, { waitMs, skip, futile }) {
      state.enteredMs = nowMs;
      state.waitMs = waitMs;
      state.leaderDeadlineMs = nowMs + (skip || futile ? options.minViewMs : waitMs + leaderTimeoutMs());
      state.viewDeadlineMs = nowMs + (futile ? options.minViewMs : waitMs + viewTimeoutMs());
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
