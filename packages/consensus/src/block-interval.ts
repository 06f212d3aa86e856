/**
 * Block-interval estimator: how much longer than the configured interval a busy leader waits (T5; docs/decisions/0026).
 *
 *   block final as fast as usual --> 0 ms       final later than SLOW_FACTOR times that --> more, up to a bound
 *
 * Each block has a fixed cost on every node, so under load fewer and larger blocks leave more CPU to transactions. Load shows in the time
 * from a block's arrival to its finality, compared with its low quantile and the configured delay. Both are medians, because a late sender
 * or a pause of this process can make a single time arbitrarily short.
 *
 * INVARIANT: the extra wait is at most half of leaderTimeoutMs, so validators need not know a leader's interval.
 */
import type { ConsensusOptions } from './options.ts';

export interface BlockIntervalEstimator {
  /** tookMs: arrival to finality. nowMs: monotonic. */
  finalized(tookMs: number, nowMs: number): void;
  readonly extraMs: number;
  readonly state: BlockIntervalState;
}

/** Plain data; oldest first. */
export interface BlockIntervalState {
  /** Of the last BLOCKS blocks. */
  readonly tookMs: number[];
  /** Medians, one each NOTED_EACH_MS. */
  readonly typicalMs: number[];
  sampledMs: number;
}

/** Above jitter and differences in distance. */
const SLOW_FACTOR = 2;
const BLOCKS = 15;
/** NOTED_MAX of them: eight minutes. */
const SAMPLE_EACH_MS = 5_000;
const NOTED_MAX = 96;
/** Not the minimum, which a pause or consecutive dishonest leaders can produce. */
const FAST_SHARE = 1 / 4;

const nothingSeen = (): BlockIntervalState => ({ tookMs: [], typicalMs: [], sampledMs: Number.NEGATIVE_INFINITY });

export function createBlockIntervalEstimator(
  { delayMs, leaderTimeoutMs }: Pick<ConsensusOptions, 'delayMs' | 'leaderTimeoutMs'>,
  state: BlockIntervalState = nothingSeen(),
): BlockIntervalEstimator {
  const { tookMs, typicalMs } = state;
  let extraMs = judge();

  function judge(): number {
    const fastMs = Math.max(delayMs, atShare(typicalMs, FAST_SHARE));
    // At most the excess: a larger factor feeds back, because larger blocks take longer (docs/decisions/0026).
    return Math.min(leaderTimeoutMs / 2, Math.max(0, atShare(tookMs, 1 / 2) - SLOW_FACTOR * fastMs));
  }

  return {
    finalized(ms, nowMs) {
      // A whole timeout indicates a failed leader, not load.
      tookMs.push(Math.min(ms, leaderTimeoutMs));
      if (tookMs.length > BLOCKS) tookMs.shift();
      if (tookMs.length === BLOCKS && nowMs - state.sampledMs >= SAMPLE_EACH_MS) {
        state.sampledMs = nowMs;
        typicalMs.push(atShare(tookMs, 1 / 2));
        if (typicalMs.length > NOTED_MAX) typicalMs.shift();
      }
      extraMs = judge();
    },
    get extraMs() {
      return typicalMs.length === 0 ? 0 : extraMs;
    },
    state,
  };
}

/** Quantile; 0 of no numbers. */
function atShare(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;
}
