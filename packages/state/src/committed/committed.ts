/**
 * The committed and folded state in memory.
 *
 *   table: key -> cell (slot, ordinal, value)      lists[slot][ordinal] -> cell
 *
 * A record is live when its cell points back at it, so a log's list needs no update when a record dies.
 */
import { assert } from '@slipstream/primitives';
import { createPacker, type Packer } from '../batch.ts';
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
} from '../key-table/cells.ts';
import type { HashKey } from '../key-table/key-hash.ts';
import { createKeyTable, type KeyTable } from '../key-table/key-table.ts';
import { createLargeValues, type LargeValues } from '../key-table/large-values.ts';
import { keyBytesOfHead, valueBytesOfHead } from '../log/format.ts';
import { createLogTable, type LogTable } from '../log/log-table.ts';
import type { StoredPut } from '../log/segment-writer.ts';
import { DELETED } from '../overlay/overlay.ts';
import { createRecycler, type Recycler } from '../overlay/recycler.ts';
import type { StateTip } from '../store.ts';
import { createGrowingList, type GrowingList, push } from '../typed-arrays/growing-list.ts';
import { createOrdinals, type Ordinals } from '../typed-arrays/ordinals.ts';
import { bytesAt, wordsFor } from '../typed-arrays/word-arrays.ts';

export interface Committed {
  tip: StateTip;
  logs: LogTable;
  readonly hashKey: HashKey;
  readonly cells: Cells;
  readonly table: KeyTable;
  readonly large: LargeValues;
  readonly recycler: Recycler;
  /** Reuses its memory from batch to batch. */
  readonly pack: Packer;
  readonly ordinals: Ordinals;
  /** Per log: the cell of each Put, by ordinal. Entries behind `length` belong to the batch being folded. */
  readonly lists: readonly GrowingList[];
  /** Per log: ordinals that died since its last write. */
  readonly died: readonly GrowingList[];
  /** Per log: all ordinals below are dead. Only an optimization. */
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
    pack: createPacker(),
    ordinals: createOrdinals(),
    lists: Array.from({ length: logs }, () => createGrowingList()),
    died: Array.from({ length: logs }, () => createGrowingList()),
    deadBelow: new Int32Array(logs),
  };
}

/** Puts and Deletes of a segment, by number: see Interactions. */
interface Puts {
  readonly keyAt: Int32Array;
  readonly head: Int32Array;
  readonly ordinal: Int32Array;
  readonly cell: Int32Array;
  readonly fresh: Int32Array;
}

export function isLive({ cells }: Committed, slot: number, ordinal: number, address: number): boolean {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  return page[at] === ordinal && slotOf(page[at + 1] as number) === slot;
}

/** The key is at `words[keyAt]`. The caller enters the cell into table and list. */
export function createCell(
  committed: Committed,
  words: Int32Array,
  keyAt: number,
  head: number,
  slot: number,
  ordinal: number,
): number {
  const size = cellWords(keyBytesOfHead(head), valueBytesOfHead(head));
  const address = committed.cells.allocate(size);
  fillCell(committed, address, words, keyAt, head, slot, ordinal);
  return address;
}

/**
 * Creates cells for the Puts [from, to) whose keys have none, and sets `fresh` (0 for no new cell). The caller enters them into table and
 * lists. Returns the number of new cells.
 */
export function createCellsOf(
  committed: Committed,
  words: Int32Array,
  puts: Puts,
  slot: number,
  from: number,
  to: number,
): number {
  const { keyAt, head, ordinal, cell, fresh } = puts;
  let created = 0;
  for (let i = from; i < to; ) {
    if (cell[i] !== 0 || ordinal[i] === DELETED) {
      fresh[i++] = 0;
      continue;
    }
    const row = createRow(committed, words, puts, slot, i, to);
    if (row === 0) {
      const at = keyAt[i] as number;
      fresh[i] = createCell(committed, words, at, head[i] as number, slot, ordinal[i] as number);
    }
    created += Math.max(1, row);
    i += Math.max(1, row);
  }
  return created;
}

/** Creates adjacent cells for Puts from `from` on with the same head. Returns their number. */
function createRow(
  { cells }: Committed,
  words: Int32Array,
  { keyAt, head, ordinal, cell, fresh }: Puts,
  slot: number,
  from: number,
  to: number,
): number {
  const first = head[from] as number;
  const keyBytes = keyBytesOfHead(first);
  const valueBytes = valueBytesOfHead(first);
  if (valueBytes > INLINE_BYTES_MAX) return 0;
  const size = cellWords(keyBytes, valueBytes);
  const capacity = cells.unusedInRow(size, to - from);
  if (capacity === 0) return 0;
  const packed = packCell(slot, keyBytes, valueBytes);
  let address = cells.next(size);
  const page = cells.page(address);
  let i = from;
  for (; i < from + capacity; i++) {
    let source = keyAt[i] as number;
    if (cell[i] !== 0 || head[i] !== first) break;
    let at = address & PAGE_MASK;
    const end = at + size;
    page[at++] = ordinal[i] as number;
    page[at++] = packed;
    while (at < end) page[at++] = words[source++] as number;
    fresh[i] = address;
    address = (address + size) | 0;
  }
  cells.allocateRow(size, i - from);
  return i - from;
}

/** Returns the cell's address, which may be new. */
export function updateCell(
  committed: Committed,
  address: number,
  hash: number,
  words: Int32Array,
  keyAt: number,
  head: number,
  slot: number,
  ordinal: number,
): number {
  const size = cellWords(keyBytesOfHead(head), valueBytesOfHead(head));
  const to = resize(committed, address, size);
  if (to !== address) committed.table.replace(hash, address, to);
  fillCell(committed, to, words, keyAt, head, slot, ordinal);
  return to;
}

function fillCell(
  { cells, large }: Committed,
  address: number,
  words: Int32Array,
  keyAt: number,
  head: number,
  slot: number,
  ordinal: number,
): void {
  const keyBytes = keyBytesOfHead(head);
  const valueBytes = valueBytesOfHead(head);
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  page[at] = ordinal;
  page[at + 1] = packCell(slot, keyBytes, valueBytes);
  const keyWords = wordsFor(keyBytes);
  const isLarge = valueBytes > INLINE_BYTES_MAX;
  const inline = isLarge ? keyWords : keyWords + wordsFor(valueBytes);
  const to = at + CELL_HEAD_WORDS;
  for (let i = 0; i < inline; i++) page[to + i] = words[keyAt + i] as number;
  if (isLarge) page[to + keyWords] = large.add(words, keyAt + keyWords, wordsFor(valueBytes));
}

export function addToLog({ lists }: Committed, slot: number, ordinal: number, address: number): void {
  const list = lists[slot] as GrowingList;
  assert(list.length === ordinal, 'a log takes its Puts in order');
  push(list, address);
}

/** Returns a cell of `size` words, and releases the old value. */
function resize(committed: Committed, address: number, size: number): number {
  const old = releaseValue(committed, address);
  if (old === size) return address;
  committed.cells.free(address, old);
  return committed.cells.allocate(size);
}

/** Returns the cell's size. */
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

export function valueAt({ cells, large }: Committed, address: number): Uint8Array {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  const packed = page[at + 1] as number;
  const from = at + CELL_HEAD_WORDS + wordsFor(keyBytesOf(packed));
  const length = valueBytesOf(packed);
  return length > INLINE_BYTES_MAX ? bytesAt(large.get(page[from] as number), 0, length) : bytesAt(page, from, length);
}

export function keyAt({ cells }: Committed, address: number): Uint8Array {
  const page = cells.page(address);
  const at = address & PAGE_MASK;
  return bytesAt(page, at + CELL_HEAD_WORDS, keyBytesOf(page[at + 1] as number));
}

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

export function indexBytes({ cells, table, large, lists, died }: Committed): number {
  let bytes = cells.bytes + table.bytes + large.bytes;
  for (const list of lists) bytes += list.values.byteLength;
  for (const list of died) bytes += list.values.byteLength;
  return bytes;
}
