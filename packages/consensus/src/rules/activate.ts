/** Beginning of payload checks and execution. */
import { hexOf } from '@slipstream/types';
import type { BlockEntry } from '../block-tree.ts';
import { type Context, emit, report, viewsAhead } from '../context.ts';
import { isFiller, judgeClosing } from './closing.ts';
import { highestOpen, isWithinLag, mayOpen } from './execution-lag.ts';
import { condemn } from './invalid-blocks.ts';
import { follows } from './proposal-fault.ts';

/**
 * Activates due blocks, also when this node does not vote. A block that does not follow its parent never becomes active: stores keyed by
 * height would never release it.
 */
export function activateBlocks(context: Context): void {
  const upTo = context.view + viewsAhead(context);
  const consideredMax = isWithinLag(context) ? Number.POSITIVE_INFINITY : highestOpen(context);
  for (const entry of context.tree.entries()) {
    if (entry.active || entry.fault || entry.block.view > upTo || entry.block.height > consideredMax) continue;
    const parent = context.tree.get(entry.block.parentId);
    if (!parent?.active) continue;
    if (!follows(entry.block, parent.block)) {
      const reason = `height ${entry.block.height}, parent view ${entry.block.parentView} or timestamp do not follow its parent's`;
      condemn(context, entry, { reason, offence: 'malformed-frame' });
      continue;
    }
    if (!mayOpen(context, entry.block)) continue;
    const closing = judgeClosing(context, entry.block, parent.block, undefined);
    if (typeof closing === 'object') condemn(context, entry, { reason: closing.fault, offence: 'malformed-frame' });
    else if (isFiller(entry.block, parent.block)) activateFiller(context, entry);
    else activate(context, entry);
  }
}

/** Fillers carry nothing and are never executed. */
function activateFiller(context: Context, entry: BlockEntry): void {
  entry.active = true;
  entry.payload = 'valid';
  if (!entry.logged) emit(context, { type: 'persist-block', blockId: entry.id, block: entry.block });
  entry.logged = true;
}

/** The block's parent must be active. */
export function activate(context: Context, entry: BlockEntry): void {
  entry.active = true;
  if (!entry.logged) emit(context, { type: 'persist-block', blockId: entry.id, block: entry.block });
  entry.logged = true;
  if (entry.payload === 'unknown') emit(context, { type: 'check-payload', blockId: entry.id, block: entry.block });
  emit(context, { type: 'execute', blockId: entry.id, block: entry.block });
  report(context, 'block.proposed', {
    view: entry.block.view,
    height: entry.block.height,
    blockId: hexOf(entry.id),
    leader: entry.block.proposer,
    kind: context.proposals.kindOf(entry.block.view, entry.id) ?? 'normal',
    chunks: entry.block.payload.length,
    timestampMs: entry.block.timestampMs,
  });
}
