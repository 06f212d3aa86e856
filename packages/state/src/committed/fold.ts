/**
 * Folding: a committed batch enters the index in steps. No step can fail.
 *
 *   resolve keys -> create cells for new keys -> insert them into the table -> update and remove the others
 *
 * Until the last step readers and prepare find the batch's keys in its overlay, so they never see a half-folded index.
 */
import { assert } from '@slipstream/primitives';
import { keyBytesOfHead } from '../log/format.ts';
import { DELETED, IN_OVERLAY, type Interactions, type Overlay } from '../overlay/overlay.ts';
import { clear, ensureCapacity, type GrowingList, push } from '../typed-arrays/growing-list.ts';
import { inRanges } from '../typed-arrays/ranges.ts';
import { type Committed, createCell, createCellsOf, isLive, removeKey, updateCell } from './committed.ts';
import { resolveKeys } from './resolve-keys.ts';

/** Processes up to `keys` keys. Returns false once all are folded. */
export type FoldSome = (keys: number) => boolean;

/** The previous batch must be folded. */
export function beginFolding(committed: Committed, overlay: Overlay): FoldSome {
  const { interactions, slot, batch, begins, logs } = overlay;
  assert(batch === committed.tip.batch + 1, 'batches are folded in order');
  const list = committed.lists[slot] as GrowingList;
  if (begins) {
    clear(list, logs.puts[slot] as number);
    committed.deadBelow[slot] = 0;
  }
  ensureCapacity(list, logs.puts[slot] as number);
  const { own, length } = interactions;
  let [created, cells, entered, folded] = [0, 0, 0, 0];
  return (keys) => {
    const until = (done: number, end: number) => Math.min(end, done + keys);
    if (overlay.resolved < own) resolveKeys(committed, overlay, until(overlay.resolved, own));
    else if (created < own) {
      cells += createNewCells(committed, overlay, list.values, created, until(created, own));
      created = until(created, own);
    } else if (entered < own && cells > 0) {
      insertNewCells(committed, interactions, entered, until(entered, own));
      entered = until(entered, own);
    } else if (folded < length) {
      const to = until(folded, length);
      inRanges(folded, to, (first, end) => foldRange(committed, overlay, list.values, first, end));
      folded = to;
    } else {
      finish(committed, overlay);
      return false;
    }
    return true;
  };
}

export function fold(committed: Committed, overlay: Overlay): void {
  const foldSome = beginFolding(committed, overlay);
  while (foldSome(Number.POSITIVE_INFINITY));
}

/** In record order, because index order costs cache misses. Returns the number of new cells. */
function createNewCells(committed: Committed, overlay: Overlay, list: Int32Array, from: number, until: number): number {
  const { words, interactions, slot } = overlay;
  let cells = 0;
  inRanges(from, until, (first, end) => {
    cells += createCellsOf(committed, words, interactions, slot, first, end);
    listRange(interactions, list, first, end);
  });
  return cells;
}

function listRange({ ordinal, fresh }: Interactions, list: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) if (fresh[i] !== 0) list[ordinal[i] as number] = fresh[i] as number;
}

function insertNewCells({ table }: Committed, interactions: Interactions, from: number, until: number): void {
  inRanges(from, until, (first, end) => table.insertEach(interactions, interactions.fresh, first, end));
}

/** Folds the keys without a new cell. */
function foldRange(
  committed: Committed,
  { interactions, words, slot }: Overlay,
  list: Int32Array,
  from: number,
  to: number,
): void {
  const { keyAt, head, hash, ordinal, cell, fresh } = interactions;
  const { table } = committed;
  for (let i = from; i < to; i++) {
    if (fresh[i] !== 0) continue;
    const number = ordinal[i] as number;
    const at = keyAt[i] as number;
    const own = head[i] as number;
    const h = hash[i] as number;
    let address = cell[i] as number;
    if (address === IN_OVERLAY) address = table.find(words, at, keyBytesOfHead(own), h);
    if (number === DELETED) {
      if (address !== 0) removeKey(committed, h, address);
      continue;
    }
    if (address !== 0) address = updateCell(committed, address, h, words, at, own, slot, number);
    else {
      address = createCell(committed, words, at, own, slot, number);
      table.insert(h, address);
    }
    list[number] = address;
  }
}

function finish(committed: Committed, { slot, batch, checksum, block, diedSlot, diedOrdinal, logs }: Overlay): void {
  (committed.lists[slot] as GrowingList).length = logs.puts[slot] as number;
  clear(committed.died[slot] as GrowingList);
  for (let i = 0; i < diedSlot.length; i++) {
    push(committed.died[diedSlot.values[i] as number] as GrowingList, diedOrdinal.values[i] as number);
  }
  committed.logs = logs;
  committed.tip = { batch, checksum, block };
  if (diedSlot.length > 0) for (let each = 0; each < committed.lists.length; each++) skipDead(committed, each);
}

function skipDead(committed: Committed, slot: number): void {
  const { values, length } = committed.lists[slot] as GrowingList;
  let ordinal = committed.deadBelow[slot] as number;
  while (ordinal < length && !isLive(committed, slot, ordinal, values[ordinal] as number)) ordinal += 1;
  committed.deadBelow[slot] = ordinal;
}
