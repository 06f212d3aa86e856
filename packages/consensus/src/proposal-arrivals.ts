/**
 * Proposal arrivals: whether a view's proposal is about to come when the view is entered.
 *
 *   leader's last one came up to EARLY_MS before the view began, or SHARED_FRAME_WAIT_MS after --> so will this one      any other --> no
 *
 * The votes that end a view and the proposal of the next leave their nodes at one time (optimistic proposals). Between two nodes whose
 * links are alike they race, and a Finalize that leaves a millisecond before the Notarize costs a log sync of its own. Links change
 * slowly, so a leader's last arrival tells; a leader that fails costs one such wait, and is not waited for again.
 */
import { SHARED_FRAME_WAIT_MS } from './options.ts';

/** One that came this much earlier, and is not here now, is as likely to come in a moment as one that was late. */
export const EARLY_MS = 10;

export interface ProposalArrivals {
  /** A view was entered. `arrivedMs`: when its proposal came; undefined when it is not here. */
  entered(leader: number, nowMs: number, arrivedMs: number | undefined): void;
  /** The proposal of the current view came, after the view was entered. */
  arrived(nowMs: number): void;
  /** The current view's proposal is not here, and is likely to come in a moment. */
  readonly isDue: boolean;
  readonly state: ProposalArrivalsState;
}

/** All that it remembers, as plain data. */
export interface ProposalArrivalsState {
  /** Milliseconds after the view's beginning, negative before it, by leader; missing when it did not come. */
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
