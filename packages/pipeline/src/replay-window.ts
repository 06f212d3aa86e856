/**
 * Transactions that were executed, and distilled batches that ran, within their life, on each branch.
 *
 * A transaction lives TRANSACTION_LIFE_MS_MAX at most, so a block needs the ids that its ancestors executed within that much block
 * time. A committed block's timestamp, never a clock, decides what is forgotten. Remembering longer is harmless, because execution skips
 * expired transactions.
 *
 *   block --> its slots, in a list     slot --> an id, and the block that executed it     id --word table--> its slots
 *
 * The answer decides execution, so ids are compared in full. Rivals share ids, so each block has its own slots.
 */
import { createWordTable, NONE } from '@slipstream/crypto';
import { assert } from '@slipstream/primitives';
import { type BlockId, type Hex, ID_BYTES, TRANSACTION_LIFE_MS_MAX, type TransactionId } from '@slipstream/types';

export interface ReplayWindow {
  /** Adds the ids that the block executed. The block must be unknown: a repeated execution removes it first. */
  add(block: Hex<BlockId>, timestampMs: number, ids: readonly TransactionId[]): void;
  /** Removes a dropped or parked block; an unknown one is ignored. */
  remove(block: Hex<BlockId>): void;
  /** The block is final and durable, so every block descends from it. Forgets blocks a life earlier. */
  finish(block: Hex<BlockId>): void;
  /** Whether a finished block, or one for which `isAncestor` holds, executed the transaction. */
  has(id: TransactionId, isAncestor: (block: Hex<BlockId>) => boolean): boolean;
  readonly size: number;
}

interface Remembered {
  readonly block: Hex<BlockId>;
  readonly timestampMs: number;
  /** The block's number in its slots. */
  readonly number: number;
  /** The first of its slots. */
  readonly slot: number;
  isFinished: boolean;
}

const WORD_BYTES = 4;
const WORDS = ID_BYTES / WORD_BYTES;
/** Ids of a busy chain's block. The table doubles when full and never shrinks: 48 bytes per slot. */
const CAPACITY_FIRST = 1_024;

/** `hashKey`: eight secret bytes, which affect only the time of a look-up. */
export function createReplayWindow(hashKey: Uint8Array): ReplayWindow {
  const table = createWordTable(WORDS, CAPACITY_FIRST, hashKey);
  const open = new Map<Hex<BlockId>, Remembered>();
  const finished = new Map<Hex<BlockId>, Remembered>();
  const byNumber: (Remembered | undefined)[] = [];
  const freeNumbers: number[] = [];
  /** By slot: the block's number, and its next slot or the next free one. */
  let numbers = new Int32Array(CAPACITY_FIRST);
  let next = new Int32Array(CAPACITY_FIRST);
  let free = NONE;
  let size = 0;
  freeFrom(0);

  function freeFrom(first: number): void {
    for (let slot = table.capacity - 1; slot >= first; slot--) {
      next[slot] = free;
      free = slot;
    }
  }

  function grow(): void {
    const before = table.capacity;
    table.grow(0);
    numbers = widened(numbers);
    next = widened(next);
    freeFrom(before);
  }

  function want(id: TransactionId): void {
    assert(id.length === ID_BYTES, 'an id is looked at in full');
    const { wanted } = table;
    for (let i = 0, at = 0; i < WORDS; i++, at += WORD_BYTES) {
      wanted[i] =
        (id[at] as number) |
        ((id[at + 1] as number) << 8) |
        ((id[at + 2] as number) << 16) |
        ((id[at + 3] as number) << 24);
    }
    table.aim();
  }

  function put(id: TransactionId, number: number, rest: number): number {
    if (free === NONE) grow();
    const slot = free;
    free = next[slot] as number;
    want(id);
    if (table.find() === NONE) size += 1;
    table.put(slot);
    numbers[slot] = number;
    next[slot] = rest;
    return slot;
  }

  function forget({ number, slot: first }: Remembered): void {
    for (let slot = first; slot !== NONE; ) {
      const rest = next[slot] as number;
      table.remove(slot);
      if (table.find() === NONE) size -= 1;
      next[slot] = free;
      free = slot;
      slot = rest;
    }
    byNumber[number] = undefined;
    freeNumbers.push(number);
  }

  function add(block: Hex<BlockId>, timestampMs: number, ids: readonly TransactionId[]): void {
    assert(!open.has(block) && !finished.has(block), 'a block is remembered once');
    const number = freeNumbers.pop() ?? byNumber.length;
    let slot = NONE;
    for (let i = ids.length - 1; i >= 0; i--) slot = put(ids[i] as TransactionId, number, slot);
    const remembered = { block, timestampMs, number, slot, isFinished: false };
    byNumber[number] = remembered;
    open.set(block, remembered);
  }

  function remove(block: Hex<BlockId>): void {
    const remembered = open.get(block);
    if (remembered === undefined) return;
    open.delete(block);
    forget(remembered);
  }

  function finish(block: Hex<BlockId>): void {
    const remembered = open.get(block);
    if (remembered === undefined) return;
    open.delete(block);
    remembered.isFinished = true;
    finished.set(block, remembered);
    // In order of height, so in order of time.
    for (const old of finished.values()) {
      if (old.timestampMs >= remembered.timestampMs - TRANSACTION_LIFE_MS_MAX) break;
      finished.delete(old.block);
      forget(old);
    }
  }

  return {
    add,
    remove,
    finish,
    has(id, isAncestor) {
      want(id);
      for (let slot = table.find(); slot !== NONE; slot = table.findAfter(slot)) {
        const holder = byNumber[numbers[slot] as number];
        assert(holder !== undefined, 'a slot in use has its block');
        if (holder.isFinished || isAncestor(holder.block)) return true;
      }
      return false;
    },
    get size() {
      return size;
    },
  };
}

function widened(values: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * values.length);
  wider.set(values);
  return wider;
}
