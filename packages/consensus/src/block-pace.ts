/**
 * Block pace: how much longer than the configured interval a leader waits while the machines are busy.
 *
 *   block final as fast as ever --> nothing more       final later than SLOW_FACTOR times that --> more, up to a bound
 *
 * A block costs every node the same whatever is in it: signatures, checks, frames, log records (docs/decisions/0026). While
 * processors are idle that costs nobody anything. When they are not, fewer and larger blocks leave more of them to transactions.
 * What tells is the time from a block's arrival here to its finality here, against what it took when it was fast lately, and the delay
 * that is assumed: so it means the same in one rack and around the world.
 *
 * A single time tells nothing. A leader that shows its proposal to this node last makes it as short as it likes, and so does a pause of
 * this process, after which proposals and what makes them final come at once. So both sides are medians, of the last blocks and of
 * some of each few seconds; less than half of the leaders, and a pause of whatever length, do not move them.
 *
 * INVARIANT: never more than half of leaderTimeoutMs, so that whoever waits for a leader need not know its pace.
 */
import type { ConsensusOptions } from './options.ts';

export interface BlockPace {
  /** A block became final this long after it arrived; nowMs: monotonic. */
  finalized(tookMs: number, nowMs: number): void;
  readonly extraMs: number;
  readonly state: BlockPaceState;
}

/** All that it remembers, as plain data; oldest first. */
export interface BlockPaceState {
  /** Of the last blocks. */
  readonly tookMs: number[];
  /** What was typical, each NOTED_EACH_MS. */
  readonly typicalMs: number[];
  notedMs: number;
}

/** Links jitter, and leaders are near and far: what is within this is no sign of load. */
const SLOW_FACTOR = 2;
/** Some ten blocks tell. */
const BLOCKS = 15;
/** Eight minutes in all: links change, and so do machines. */
const NOTED_EACH_MS = 5_000;
const NOTED_MAX = 96;
/** Of what was typical: not the least, which may have been a pause, or leaders that lie in a row. */
const FAST_SHARE = 1 / 4;

const nothingSeen = (): BlockPaceState => ({ tookMs: [], typicalMs: [], notedMs: Number.NEGATIVE_INFINITY });

export function createBlockPace(
  { delayMs, leaderTimeoutMs }: Pick<ConsensusOptions, 'delayMs' | 'leaderTimeoutMs'>,
  state: BlockPaceState = nothingSeen(),
): BlockPace {
  const { tookMs, typicalMs } = state;
  let extraMs = judge();

  function judge(): number {
    const fastMs = Math.max(delayMs, atShare(typicalMs, FAST_SHARE));
    // No more than the lateness itself: four times it fed itself, as larger blocks take longer (docs/decisions/0026).
    return Math.min(leaderTimeoutMs / 2, Math.max(0, atShare(tookMs, 1 / 2) - SLOW_FACTOR * fastMs));
  }

  return {
    finalized(ms, nowMs) {
      // One that took as long as a view's timers says that a leader failed, not that all are busy.
      tookMs.push(Math.min(ms, leaderTimeoutMs));
      if (tookMs.length > BLOCKS) tookMs.shift();
      if (tookMs.length === BLOCKS && nowMs - state.notedMs >= NOTED_EACH_MS) {
        state.notedMs = nowMs;
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

/** Of some numbers, the one below which so large a share of them is; 0 of none. */
function atShare(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;
}
