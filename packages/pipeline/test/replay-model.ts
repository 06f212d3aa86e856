/** The replay window in plain Maps of texts: what the one in typed arrays must answer alike, whatever it is asked. */
import { type BlockId, type Hex, hexOf, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import type { ReplayWindow } from '../src/replay-window.ts';

interface Remembered {
  readonly block: Hex<BlockId>;
  readonly timestampMs: number;
  readonly ids: readonly string[];
}

export function createReplayModel(): ReplayWindow {
  const blocksOf = new Map<string, Hex<BlockId> | readonly Hex<BlockId>[]>();
  const open = new Map<Hex<BlockId>, Remembered>();
  const settled = new Map<Hex<BlockId>, Remembered>();

  function forget({ block, ids }: Remembered): void {
    for (const id of ids) {
      const blocks = blocksOf.get(id);
      const rest = typeof blocks === 'object' ? blocks.filter((other) => other !== block) : [];
      if (rest.length > 0) blocksOf.set(id, rest);
      else blocksOf.delete(id);
    }
  }

  return {
    add(block, timestampMs, given) {
      const ids = given.map(hexOf);
      open.set(block, { block, timestampMs, ids });
      for (const id of ids) {
        const blocks = blocksOf.get(id);
        blocksOf.set(id, blocks === undefined ? block : [...(typeof blocks === 'object' ? blocks : [blocks]), block]);
      }
    },
    remove(block) {
      const remembered = open.get(block);
      if (remembered === undefined) return;
      open.delete(block);
      forget(remembered);
    },
    finish(block) {
      const remembered = open.get(block);
      if (remembered === undefined) return;
      open.delete(block);
      settled.set(block, remembered);
      for (const old of settled.values()) {
        if (old.timestampMs >= remembered.timestampMs - TRANSACTION_LIFE_MS_MAX) break;
        settled.delete(old.block);
        forget(old);
      }
    },
    has(id, isAncestor) {
      const blocks = blocksOf.get(hexOf(id));
      if (blocks === undefined) return false;
      const isHere = (block: Hex<BlockId>) => settled.has(block) || isAncestor(block);
      return typeof blocks === 'object' ? blocks.some(isHere) : isHere(blocks);
    },
    get size() {
      return blocksOf.size;
    },
  };
}
