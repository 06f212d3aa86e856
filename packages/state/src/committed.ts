/**
 * The committed state in memory: the index from keys to records, and of each log which record is whose.
 *
 *   table: key -> cell (slot, ordinal, value)      lists[slot][ordinal] -> cell
 *
 * A record is live when its cell points back at it. So nothing need be done to a log's list when a record of it dies.
 */
import { assert } from '@slipstream/primitives';
import {
  CELL_HEAD_WORDS,
  type Cells,
  cellWords,
  createCells,
  INLINE_BYTES_MAX,
  keyBytesOf,
  PAGE_MASK,
  packCell,
  slotOf,
  valueBytesOf,
} from './cells.ts';
import { createGrowingList, type GrowingList, push } from './growing-list.ts';
import type { HashKey } from './key-hash.ts';
import { createKeyTable, type KeyTable } from './key-table.ts';
import { createLargeValues, type LargeValues } from './large-values.ts';
import { createLogTable, type LogTable } from './log-table.ts';
import { createRecycler, type Recycler } from './recycle.ts';
import type { StoredPut } from './segment-writer.ts';
import type { StateTip } from './store.ts';
import { bytesAt, wordsFor } from './words.ts';

export interface Committed {
  tip: StateTip;
  logs: LogTable;
  readonly hashKey: HashKey;
  readonly cells: Cells;
  readonly table: KeyTable;
  readonly large: LargeValues;
  readonly recycler: Recycler;
  /** Of each log: the cell of each Put of its file, by ordinal. */
  readonly lists: readonly GrowingList[];
  /** Of each log: ordinals that died since it was last written. */
  readonly died: readonly GrowingList[];
  /** Of each log: all ordinals below are dead. Saves steps, decides nothing. */
  readonly deadBelow: Int32Array;
}

export function createCommitted(logs: number, hashKey: HashKey): Committed {
  const cells = createCells();
  return {
    tip: { batch: -1, checksum: new Uint8Array(32), block: '' },
    logs: createLogTable(logs),
    hashKey,
    cells,
    table: createKeyTable(cells),
    large: createLargeValues(),
    recycler: createRecycler(),
    lists: Array.from({ length: logs }, () => createGrowingList()),
    died: Array.from({ length: logs }, () => createGrowingList()),
    deadBelow: new Int32Array(logs),
  };
}

/** True while the cell at `address` is that of Put `ordinal` of the log. */
export function isLive({ cells }: Committed, slot: number, ordinal: number, address: number): boolean {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  return page[at] === ordinal && slotOf(page[at + 1] as number) === slot;
}

/**
 * Makes the Put whose key stands at `words[keyAt]` the record of its key. `address` is the key's cell, or 0: then the caller
 * has to insert the cell that is returned into the table.
 */
export function storePut(
  committed: Committed,
  address: number,
  hash: number,
  words: Int32Array,
  keyAt: number,
  slot: number,
  ordinal: number,
): number {
  const { cells, table, lists } = committed;
  const head = words[keyAt - 2] as number;
  const keyBytes = (head >>> 2) & 127;
  const valueBytes = head >>> 9;
  const size = cellWords(keyBytes, valueBytes);
  const to = address === 0 ? cells.allocate(size) : resize(committed, address, size);
  if (address !== 0 && to !== address) table.replace(hash, address, to);
  const page = cells.page(to);
  const at = to & PAGE_MASK;
  page[at] = ordinal;
  page[at + 1] = packCell(slot, keyBytes, valueBytes);
  const keyWords = wordsFor(keyBytes);
  const inline = valueBytes > INLINE_BYTES_MAX ? keyWords : keyWords + wordsFor(valueBytes);
  for (let i = 0; i < inline; i++) page[at + CELL_HEAD_WORDS + i] = words[keyAt + i] as number;
  if (valueBytes > INLINE_BYTES_MAX) {
    page[at + size - 1] = committed.large.add(words, keyAt + keyWords, wordsFor(valueBytes));
  }
  const list = lists[slot] as GrowingList;
  assert(list.length === ordinal, 'a log takes its Puts in order');
  push(list, to);
  return to;
}

/** Gives up what the old value held. Returns a cell of `size` words for the new one. */
function resize(committed: Committed, address: number, size: number): number {
  const old = releaseValue(committed, address);
  if (old === size) return address;
  committed.cells.free(address, old);
  return committed.cells.allocate(size);
}

/** Returns the words of the cell. */
function releaseValue({ cells, large }: Committed, address: number): number {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  const packed = page[at + 1] as number;
  const size = cellWords(keyBytesOf(packed), valueBytesOf(packed));
  if (valueBytesOf(packed) > INLINE_BYTES_MAX) large.free(page[at + size - 1] as number);
  return size;
}

export function removeKey(committed: Committed, hash: number, address: number): void {
  committed.table.remove(hash, address);
  committed.cells.free(address, releaseValue(committed, address));
}

/** A copy of the cell's value. */
export function valueAt({ cells, large }: Committed, address: number): Uint8Array {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  const packed = page[at + 1] as number;
  const from = at + CELL_HEAD_WORDS + wordsFor(keyBytesOf(packed));
  const length = valueBytesOf(packed);
  return length > INLINE_BYTES_MAX ? bytesAt(large.get(page[from] as number), 0, length) : bytesAt(page, from, length);
}

/** A copy of the cell's key. */
export function keyAt({ cells }: Committed, address: number): Uint8Array {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  return bytesAt(page, at + CELL_HEAD_WORDS, keyBytesOf(page[at + 1] as number));
}

/** Points `put` at the record of a cell. */
export function loadPut({ cells, large }: Committed, address: number, put: StoredPut): void {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  const packed = page[at + 1] as number;
  put.words = page;
  put.at = at + CELL_HEAD_WORDS;
  put.keyBytes = keyBytesOf(packed);
  put.valueBytes = valueBytesOf(packed);
  const value = put.at + wordsFor(put.keyBytes);
  const isLarge = put.valueBytes > INLINE_BYTES_MAX;
  put.valueWords = isLarge ? large.get(page[value] as number) : page;
  put.valueAt = isLarge ? 0 : value;
}

/** Memory of all of it, unused room included. */
export function indexBytes({ cells, table, large, lists, died }: Committed): number {
  let bytes = cells.bytes + table.bytes + large.bytes;
  for (const list of lists) bytes += list.values.byteLength;
  for (const list of died) bytes += list.values.byteLength;
  return bytes;
}
