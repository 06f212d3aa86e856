/**
 * Blocks that the ledger has and the state store has not: their chunks are needed again, by the executor.
 *
 * A crash leaves one such block. Under an older copy of the state folder it is every block since the copy was made, and the chunks of
 * all of them would not fit into memory: so they are opened in order, well ahead of what the executor prepares.
 */
import type { LedgerReader } from '@slipstream/ledger';
import { RECORDED_AHEAD_BLOCKS } from '@slipstream/pipeline';
import { type Block, hexOf } from '@slipstream/types';
import type { PayloadDesk } from './application.ts';

export interface Uncommitted {
  /** A block is committed: the next one is opened. Rejects with what the ledger throws. */
  committed(block: Pick<Block, 'height'>): Promise<void>;
  /** What is being read may fail from now on. */
  stop(): void;
}

/** The executor asks for those of RECORDED_AHEAD_BLOCKS, and hears of a commit before this thread does. */
const OPEN_AHEAD_BLOCKS = 2 * RECORDED_AHEAD_BLOCKS;

/** `openedAt`: hex id of the block that the state store stands at. */
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
