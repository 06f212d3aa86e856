/**
 * Blocks that the ledger has and the state store lacks: the executor needs their chunks again.
 *
 * A crash leaves one such block. An older copy of the state folder leaves every block since the copy, whose chunks would not fit into
 * memory; so they are opened in order, well ahead of the executor.
 */
import type { LedgerReader } from '@slipstream/ledger';
import { RECORDED_AHEAD_BLOCKS } from '@slipstream/pipeline';
import { type Block, hexOf } from '@slipstream/types';
import type { PayloadDesk } from './application.ts';

export interface Uncommitted {
  /** After a commit the next block is opened. Rejects with the ledger's errors. */
  committed(block: Pick<Block, 'height'>): Promise<void>;
  /** Reads may fail from now on. */
  stop(): void;
}

/** The executor needs RECORDED_AHEAD_BLOCKS, and sees a commit before this thread does. */
const OPEN_AHEAD_BLOCKS = 2 * RECORDED_AHEAD_BLOCKS;

/** `openedAt`: hex id of the state store's block. */
export async function openUncommitted(
  ledger: Pick<LedgerReader, 'tip' | 'block'>,
  openedAt: string,
  desk: Pick<PayloadDesk, 'open'>,
): Promise<Uncommitted> {
  const tipHeight = (await ledger.tip())?.height ?? 0;
  let next = tipHeight + 1;
  for (let height: number = tipHeight; height > 0; height--) {
    const found = await ledger.block({ height });
    if (!found || hexOf(found.blockId) === openedAt) break;
    next = height;
  }
  const first = next;
  let stopped = false;

  async function openUpTo(height: number): Promise<void> {
    while (!stopped && next <= Math.min(height, tipHeight)) {
      const found = await ledger.block({ height: next++ }).catch((error: unknown) => {
        if (!stopped) throw error;
      });
      if (found && !stopped) desk.open(found.blockId, found.block);
    }
  }

  await openUpTo(first - 1 + OPEN_AHEAD_BLOCKS);
  return {
    async committed({ height }) {
      if (next <= tipHeight) await openUpTo(height + OPEN_AHEAD_BLOCKS);
    },
    stop() {
      stopped = true;
    },
  };
}
