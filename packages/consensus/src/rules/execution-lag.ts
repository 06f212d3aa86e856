/**
 * Ordering does not run away from execution (consensus.md, "Execution lag"): how far the chain is above the last state certificate decides when the
 * next block is due.
 *
 *   heights above it    0 ......... 16 ................ 48 ......... 64
 *   interval            as configured   up to idle's       idle's        no new block
 *                       (and the pace)      (or 10 s)
 *
 * No new block: unless what is final is far less ahead. Of what is not final nothing can be certified, and a block above it is all that
 * can make it final: on links slower than the timers blocks are notarized and not finalized, one upon another.
 *
 * State votes are kept by view, within the retention: without a bound on the distance, votes of executors that lag by more than that
 * would come too late for ever, and nothing would be committed any more. With it, whoever is behind is always in time.
 *
 * Nor does what is taken in here run away from what is committed here: a node that catches up fetches blocks far faster than it
 * executes them, and each that it takes in holds its chunks in memory until it is committed. What is beyond is fetched when there is
 * room; until then this node votes on nothing and proposes nothing. A committee that is slow as a whole never comes to this bound:
 * the one above is below it.
 */
import { type Block, SYNC_BLOCKS_MAX } from '@slipstream/types';
import type { Context } from '../context.ts';
import { BLOCK_INTERVAL_MS_MAX } from '../options.ts';

/** Views overlap and state votes take a delay: a good network of 200 ms links that makes a block each 50 ms has ten in the air. */
const SLOWER_FROM_BLOCKS = 16;
const SLOWEST_FROM_BLOCKS = 48;
/** Far below retentionViews, though one view in three brings no block. */
const NO_MORE_BLOCKS = 64;

/**
 * Blocks taken in and not committed. Well above NO_MORE_BLOCKS: so far from one another state certificates may be, without which nothing
 * is committed, and the next range must fit beside.
 */
const OPEN_BLOCKS_MAX = 256;

/** The highest height that may be executed now, of what is final. */
export function highestOpen({ committedHeight }: Context): number {
  return committedHeight + OPEN_BLOCKS_MAX;
}

/**
 * Whether a block may be executed, and so voted for. Of what is not final there is no highest height, once all that is final is here:
 * it becomes final by a block above it, and by nothing else.
 */
export function mayOpen(context: Context, { view, height }: Block): boolean {
  const { tree, lastFinal } = context;
  return height <= highestOpen(context) || (tree.root.block.view === lastFinal.view && view > lastFinal.view);
}

/** Whether a whole range of blocks may be taken in. Until then nobody looks at what is beyond: it may be hours of the chain. */
export function hasRoom(context: Context): boolean {
  return context.tree.root.block.height + SYNC_BLOCKS_MAX <= highestOpen(context);
}

function heightsAhead(context: Context, height: number): number {
  return height - context.lastState.height;
}

/**
 * How long leaders wait on purpose, at most: whoever waits for them waits as much longer. With something to include never for long, whatever
 * the interval of an idle chain is: blocks that are notarized and not final need the next one.
 */
export function leaderWaitMs(context: Context): number {
  const { minBlockIntervalMs } = context.setting.options;
  if (!context.pending) return idleMs(context);
  const isBehind = heightsAhead(context, context.tree.root.block.height) > SLOWER_FROM_BLOCKS;
  return isBehind ? slowestMs(context) : minBlockIntervalMs;
}

function idleMs({ setting: { options } }: Context): number {
  return Math.max(options.idleBlockIntervalMs, options.minBlockIntervalMs);
}

/** Between blocks that have something to include. */
function slowestMs(context: Context): number {
  return Math.min(idleMs(context), BLOCK_INTERVAL_MS_MAX);
}

/** ms between a parent at this height and its child; undefined when there may be no child yet. */
export function blockIntervalMs(context: Context, parentHeight: number): number | undefined {
  const { minBlockIntervalMs } = context.setting.options;
  const ahead = heightsAhead(context, parentHeight);
  const finalAhead = heightsAhead(context, context.tree.root.block.height);
  if (ahead >= NO_MORE_BLOCKS && finalAhead >= SLOWEST_FROM_BLOCKS) return undefined;
  if (!context.pending) return idleMs(context);
  const share = (ahead - SLOWER_FROM_BLOCKS) / (SLOWEST_FROM_BLOCKS - SLOWER_FROM_BLOCKS);
  const behindMs = minBlockIntervalMs + Math.min(1, Math.max(0, share)) * (slowestMs(context) - minBlockIntervalMs);
  return Math.max(behindMs, minBlockIntervalMs + context.blockInterval.extraMs);
}
