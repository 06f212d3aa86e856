/**
 * Block pace: how much longer than the configured interval a leader waits while the machines are busy.
 *
 *   block final as fast as ever --> nothing more       final later than SLOW_FACTOR times that --> more, up to a bound
 *
 * A block costs every node the same whatever is in it: signatures, checks, frames, log records (docs/decisions/0025). While
 * processors are idle that costs nobody anything. When they are not, fewer and larger blocks leave more of them to transactions.
 * What tells is the time from a block's arrival here to its finality here, against the best of it lately and the delay that is
 * assumed: so it means the same in one rack and around the world.
 *
 * INVARIANT: never more than half of leaderTimeoutMs, so that whoever waits for a leader need not know its pace.
 */
import type { ConsensusOptions } from './options.ts';

export interface BlockPace {
  /** A block became final this long after it arrived. */
  finalized(tookMs: number): void;
  readonly extraMs: number;
  readonly state: BlockPaceState;
}

/** All that it remembers, as plain data. */
export interface BlockPaceState {
  typicalMs: number;
  bestMs: number;
}

/** Links jitter, and leaders are near and far: what is within this is no sign of load. */
const SLOW_FACTOR = 2;
/** Weight of a new sample: some ten blocks tell. */
const SMOOTHING = 1 / 8;
/** The best is forgotten by so much a block: links change. */
const FORGET_FACTOR = 1.001;

export function createBlockPace(
  { delayMs, leaderTimeoutMs }: Pick<ConsensusOptions, 'delayMs' | 'leaderTimeoutMs'>,
  state: BlockPaceState = { typicalMs: 0, bestMs: Number.POSITIVE_INFINITY },
): BlockPace {
  const extraMsMax = leaderTimeoutMs / 2;

  return {
    finalized(tookMs) {
      // One that took as long as a view's timers says that a leader failed, not that all are busy.
      const sampleMs = Math.min(tookMs, leaderTimeoutMs);
      state.typicalMs += SMOOTHING * (sampleMs - state.typicalMs);
      state.bestMs = Math.min(state.bestMs * FORGET_FACTOR, sampleMs);
    },
    get extraMs() {
      // No more than the lateness itself: four times it fed itself, as larger blocks take longer (docs/decisions/0027).
      const lateMs = state.typicalMs - SLOW_FACTOR * Math.max(delayMs, state.bestMs);
      return Math.min(extraMsMax, Math.max(0, lateMs));
    },
    state,
  };
}
