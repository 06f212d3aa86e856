/**
 * Execution lag (consensus.md, "Execution lag"): the distance from the last state certificate decides when the next block is due.
 *
 *   heights above it    0 ......... 16 ................ 48 ......... 64
 *   interval            as configured   up to idle's       idle's        no new block
 *                       (and estimated)     (or 10 s)
 *
 * Leaders go on at 64 while the last final block is less than 48 ahead: certification needs a final block, and finality a further block.
 *
 * A second bound limits a node that catches up, because each accepted block holds its chunks in memory until it is committed. At this
 * bound the node fetches no range, votes on nothing and proposes nothing. A slow committee stops at the first bound, which is lower.
 */
import { BLOCK_INTERVAL_MS_MAX, type Block, SYNC_BLOCKS_MAX } from '@slipstream/types';
import type { Context } from '../context.ts';

/** On links of 200 ms with a block each 50 ms, ten blocks are under way. */
const SLOWER_FROM_BLOCKS = 16;
const SLOWEST_FROM_BLOCKS = 48;
/** Far below retentionViews, even if a third of the views brings no block. */
const NO_MORE_BLOCKS = 64;

/** Accepted, not committed. Above NO_MORE_BLOCKS: state certificates may be that far apart, and the next range must fit as well. */
const OPEN_BLOCKS_MAX = 256;

/** For final blocks. */
export function highestOpen({ committedHeight }: Context): number {
  return committedHeight + OPEN_BLOCKS_MAX;
}

/**
 * Whether a block may be executed and voted for. Above the last final block there is no limit once all final blocks are here: only a
 * further block makes them final.
 */
export function mayOpen(context: Context, { view, height }: Block): boolean {
  const { tree, lastFinal } = context;
  return height <= highestOpen(context) || (tree.root.block.view === lastFinal.view && view > lastFinal.view);
}

/** Whether a whole range fits above this height. If not, no block beyond it is examined. */
export function isWithinLag(context: Context, height: number = context.tree.root.block.height): boolean {
  return height + SYNC_BLOCKS_MAX <= highestOpen(context);
}

function heightsAhead(context: Context, height: number): number {
  return height - context.lastState.height;
}

/**
 * A leader's longest deliberate wait, by which view timers are extended. With pending transactions it is not the idle interval: notarized
 * blocks need the next one to become final.
 */
export function leaderWaitMs(context: Context): number {
  const { minBlockIntervalMs } = context.setting.options;
  if (!isPending(context)) return idleMs(context);
  const isBehind = heightsAhead(context, context.tree.root.block.height) > SLOWER_FROM_BLOCKS;
  return isBehind ? slowestMs(context) : minBlockIntervalMs;
}

/** A sealed epoch closes also on an idle chain. */
function isPending({ pending, seal }: Context): boolean {
  return pending || seal !== undefined;
}

function idleMs({ setting: { options } }: Context): number {
  return Math.max(options.idleBlockIntervalMs, options.minBlockIntervalMs);
}

/** With pending transactions. */
function slowestMs(context: Context): number {
  return Math.min(idleMs(context), BLOCK_INTERVAL_MS_MAX);
}

/** Between a parent at this height and its child; undefined: no child is allowed yet. */
export function blockIntervalMs(context: Context, parentHeight: number): number | undefined {
  const { minBlockIntervalMs } = context.setting.options;
  const ahead = heightsAhead(context, parentHeight);
  const finalAhead = heightsAhead(context, context.tree.root.block.height);
  if (ahead >= NO_MORE_BLOCKS && finalAhead >= SLOWEST_FROM_BLOCKS) return undefined;
  if (!isPending(context)) return idleMs(context);
  const share = (ahead - SLOWER_FROM_BLOCKS) / (SLOWEST_FROM_BLOCKS - SLOWER_FROM_BLOCKS);
  const behindMs = minBlockIntervalMs + Math.min(1, Math.max(0, share)) * (slowestMs(context) - minBlockIntervalMs);
  return Math.max(behindMs, minBlockIntervalMs + context.blockInterval.extraMs);
}
