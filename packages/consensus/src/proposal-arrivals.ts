/**
 * Proposal arrivals: predicts, when a view is entered, whether its proposal is about to arrive.
 *
 *   leader's last proposal came at most EARLY_MS before or SHARED_FRAME_WAIT_MS after its view began --> due      else --> not due
 *
 * The votes that end a view and the next proposal leave at the same time (optimistic proposals) on similar links. A Finalize that leaves
 * just before the Notarize costs an extra log sync. Links change slowly, so a leader's last arrival predicts the next.
 */
import { SHARED_FRAME_WAIT_MS } from './options.ts';

/** A proposal that was early by this is about as likely to be late next time. */
export const EARLY_MS = 10;

export interface ProposalArrivals {
  /** `arrivedMs`: of the view's proposal, if it is here. */
  entered(leader: number, nowMs: number, arrivedMs: number | undefined): void;
  /** The current view's proposal came after the view was entered. */
  arrived(nowMs: number): void;
  /** Not here, but expected within ms. */
  readonly isDue: boolean;
  readonly state: ProposalArrivalsState;
}

/** Plain data. */
export interface ProposalArrivalsState {
  /** By leader: ms from the view's beginning; negative: before it. */
  readonly lateMs: Map<number, number>;
  leader: number;
  enteredMs: number;
  isDue: boolean;
}

const nothingSeen = (): ProposalArrivalsState => ({ lateMs: new Map(), leader: 0, enteredMs: 0, isDue: false });

export function createProposalArrivals(state: ProposalArrivalsState = nothingSeen()): ProposalArrivals {
  const { lateMs } = state;
  return {
    entered(leader, nowMs, arrivedMs) {
      const last = lateMs.get(leader);
      state.leader = leader;
      state.enteredMs = nowMs;
      state.isDue = arrivedMs === undefined && last !== undefined && last >= -EARLY_MS && last <= SHARED_FRAME_WAIT_MS;
      if (arrivedMs === undefined) lateMs.delete(leader);
      else lateMs.set(leader, arrivedMs - nowMs);
    },
    arrived(nowMs) {
      state.isDue = false;
      if (!lateMs.has(state.leader)) lateMs.set(state.leader, nowMs - state.enteredMs);
    },
    get isDue() {
      return state.isDue;
    },
    state,
  };
}
