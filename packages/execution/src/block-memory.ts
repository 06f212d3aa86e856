/** Memory of a block under execution, used again by the executor's next one of the same chain. No result depends on it. */
import type { TransactionId } from '@slipstream/types';
import { type BlockKeys, createBlockKeys } from './block-keys.ts';
import { createEntryMemory, type EntryMemory } from './distilled/entry-memory.ts';

export interface BlockMemory {
  /** Cleared, but for accounts of the directory. Only one block at a time may use it. */
  forNextBlock(): { readonly keys: BlockKeys; readonly executed: ExecutedIds; readonly entries: EntryMemory };
}

/** Transactions that the block has executed so far. */
export interface ExecutedIds {
  add(id: TransactionId, chunk: number): void;
  /** Position of its chunk. */
  readonly chunkOf: (id: TransactionId) => number | undefined;
}

/** For blocks that no foreign sender made. */
export const NO_SECRET: Uint8Array = new Uint8Array(8);

/** `hashKey`: eight secret bytes, so that no sender can aim at a slot. */
export function createBlockMemory(hashKey: Uint8Array): BlockMemory {
  const keys = createBlockKeys(hashKey);
  const ids = createBlockKeys(hashKey);
  const entries = createEntryMemory();
  return {
    forNextBlock() {
      keys.clear();
      ids.clear();
      entries.clear();
      return { keys, executed: createExecutedIds(ids), entries };
    },
  };
}

function createExecutedIds(ids: BlockKeys): ExecutedIds {
  /** By number of the id: the chunk's position, or NOT_EXECUTED. */
  const chunks: number[] = [];
  const numberOf = (id: TransactionId): number => {
    const number = ids.numberOf({ head: 0, rest: id });
    if (number === chunks.length) chunks.push(NOT_EXECUTED);
    return number;
  };
  return {
    add(id, chunk) {
      chunks[numberOf(id)] = chunk;
    },
    chunkOf(id) {
      const chunk = chunks[numberOf(id)];
      return chunk === NOT_EXECUTED ? undefined : chunk;
    },
  };
}

const NOT_EXECUTED = -1;
