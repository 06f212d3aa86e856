/** Blocks that are prepared and not yet committed. */
import { StateError } from '../errors.ts';
import type { Overlay } from './overlay.ts';
import type { Recycler } from './recycler.ts';

export interface PreparedBlocks {
  readonly overlays: Map<string, Overlay>;
  /** Appended blocks, oldest first. */
  readonly pending: Overlay[];
  readonly recycler: Recycler;
}

export function createPreparedBlocks(recycler: Recycler): PreparedBlocks {
  return { overlays: new Map(), pending: [], recycler };
}

/** Throws StateError `unknown-block`. */
export function overlayOf({ overlays }: PreparedBlocks, block: string): Overlay {
  const overlay = overlays.get(block);
  if (overlay === undefined) throw new StateError('unknown-block', `block ${block} is not prepared`, { block });
  return overlay;
}

/** Drops the block and its descendants. */
export function dropBlock(blocks: PreparedBlocks, overlay: Overlay): void {
  overlay.status = 'dropped';
  blocks.overlays.delete(overlay.block);
  for (const other of [...blocks.overlays.values()]) if (other.parent === overlay) dropBlock(blocks, other);
  blocks.recycler.giveBack(overlay);
}

/** Commits the oldest pending block, and drops its rivals. */
export function commitOldest(blocks: PreparedBlocks, overlay: Overlay): void {
  blocks.pending.shift();
  overlay.status = 'committed';
  blocks.overlays.delete(overlay.block);
  for (const rival of [...blocks.overlays.values()]) if (rival.parent === undefined) dropBlock(blocks, rival);
}

/** The batch is in the index now: its children read there, and its buffers are reused. */
export function releaseFolded(blocks: PreparedBlocks, overlay: Overlay): void {
  overlay.status = 'folded';
  for (const child of blocks.overlays.values()) if (child.parent === overlay) child.parent = undefined;
  blocks.recycler.giveBack(overlay);
}
