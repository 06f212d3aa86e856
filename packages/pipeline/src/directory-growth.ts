/**
 * What final blocks add to the account directory, in order of height, once they are executed.
 *
 * INVARIANT: earlier than their commits. A block's batches are judged by the directory below it, and the certificate that lets those blocks
 * commit may be of this block.
 */
import type { Telemetry } from '@slipstream/ports';
import type { BlockEntry } from './block-entry.ts';
import { createBroadcast } from './broadcast.ts';
import type { DirectoryGrown } from './components.ts';

export interface DirectoryGrowth {
  add(handler: (grown: DirectoryGrown) => void): void;
  /** Order or digest of the block is known. */
  changed(entry: BlockEntry): void;
}

/** `height`: of the committed state. */
export function createDirectoryGrowth(telemetry: Telemetry, height: number): DirectoryGrowth {
  const broadcast = createBroadcast<DirectoryGrown>(telemetry);
  let newest = height;
  return {
    add: broadcast.add,
    changed({ block, done, executed }) {
      // Each height once: a block whose stages were undone is digested again.
      if (block.height !== newest + 1 || executed === undefined) return;
      if (!done.has('order') || !done.has('digest')) return;
      newest = block.height;
      broadcast.send({ height: newest, registered: executed.registered });
    },
  };
}
