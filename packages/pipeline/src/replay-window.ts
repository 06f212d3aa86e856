/**
 * Which transactions were executed within their life, on each branch.
 *
 * A transaction lives TRANSACTION_LIFE_MS_MAX at most, so a block needs the ids that its ancestors of that much block time
 * executed. An id is forgotten by EXECUTED time: when a committed block's timestamp is that far beyond, never by a clock.
 * Remembering longer is harmless: what is older has expired, and is skipped for that.
 */
import { type BlockId, type Hex, TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';

export interface ReplayWindow {
  add(block: Hex<BlockId>, timestampMs: number, ids: readonly string[]): void;
  /** A block that was dropped or parked. Nothing happens if it is unknown. */
  remove(block: Hex<BlockId>): void;
  /** The block is final and durable: its branch is everyone's. Frees what lies a life before it. */
  settle(block: Hex<BlockId>): void;
  /** Whether a settled block, or one for which `isAncestor` holds, executed the transaction. */
  has(id: string, isAncestor: (block: Hex<BlockId>) => boolean): boolean;
  /** Ids that are remembered. */
  readonly size: number;
}

interface Remembered {
  readonly block: Hex<BlockId>;
  readonly timestampMs: number;
  readonly ids: readonly string[];
}

export function createReplayWindow(): ReplayWindow {
  /** Nearly always one block an id, so no list: a busy minute has 150,000 ids. Only rivals share them. */
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

  function add(block: Hex<BlockId>, timestampMs: number, ids: readonly string[]): void {
    open.set(block, { block, timestampMs, ids });
    for (const id of ids) {
      const blocks = blocksOf.get(id);
      blocksOf.set(id, blocks === undefined ? block : [...(typeof blocks === 'object' ? blocks : [blocks]), block]);
    }
  }

  function remove(block: Hex<BlockId>): void {
    const remembered = open.get(block);
    if (remembered === undefined) return;
    open.delete(block);
    forget(remembered);
  }

  function settle(block: Hex<BlockId>): void {
    const remembered = open.get(block);
    if (remembered === undefined) return;
    open.delete(block);
    settled.set(block, remembered);
    // Settled in order of height, so in order of time.
    for (const old of settled.values()) {
      if (old.timestampMs >= remembered.timestampMs - TRANSACTION_LIFE_MS_MAX) break;
      settled.delete(old.block);
      forget(old);
    }
  }

  return {
    add,
    remove,
    settle,
    has(id, isAncestor) {
      const blocks = blocksOf.get(id);
      if (blocks === undefined) return false;
      const isHere = (block: Hex<BlockId>) => settled.has(block) || isAncestor(block);
      return typeof blocks === 'object' ? blocks.some(isHere) : isHere(blocks);
    },
    get size() {
      return blocksOf.size;
    },
  };
}
