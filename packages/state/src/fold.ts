/**
 * Folding: a committed batch becomes part of the state that readers see. One synchronous step; it cannot fail.
 *
 * Most of it is staged while the disk writes the batch: cells of new keys are made, and nothing leads to them until then.
 */
import { assert } from '@slipstream/primitives';
import {
  addToLog,
  type Committed,
  createCell,
  freeCell,
  isLive,
  NO_ORDINAL,
  removeKey,
  setOrdinal,
  updateCell,
} from './committed.ts';
import { clear, type GrowingList, push, reserve } from './growing-list.ts';
import { TOUCH_KEYS } from './key-table.ts';
import { ASK, DELETED, type Overlay } from './overlay.ts';

/**
 * Makes the cells of keys that have none. Until they are folded in they are no record's: their ordinals may be those of
 * another file of the same log.
 */
export function stage(committed: Committed, overlay: Overlay): void {
  const { words, slot, interactions } = overlay;
  const { keyAt, ordinal, cell, fresh, length } = interactions;
  for (let i = 0; i < length; i++) {
    const isNew = cell[i] === 0 && ordinal[i] !== DELETED;
    fresh[i] = isNew ? createCell(committed, words, keyAt[i] as number, slot, NO_ORDINAL) : 0;
  }
  overlay.staged = true;
}

/** Frees what was staged. */
export function unstage(committed: Committed, overlay: Overlay): void {
  const { fresh, length } = overlay.interactions;
  for (let i = length - 1; overlay.staged && i >= 0; i--) if (fresh[i] !== 0) freeCell(committed, fresh[i] as number);
  overlay.staged = false;
}

export function fold(committed: Committed, overlay: Overlay): void {
  const { slot, batch, checksum, block, begins, diedSlot, diedOrdinal, logs } = overlay;
  assert(batch === committed.tip.batch + 1, 'batches are committed in order');
  if (begins) {
    clear(committed.lists[slot] as GrowingList);
    committed.deadBelow[slot] = 0;
  }
  if (!overlay.staged) stage(committed, overlay);
  reserve(committed.lists[slot] as GrowingList, overlay.interactions.length);
  foldInteractions(committed, overlay);
  clear(committed.died[slot] as GrowingList);
  for (let i = 0; i < diedSlot.length; i++) {
    const other = diedSlot.values[i] as number;
    if (other !== slot) push(committed.died[other] as GrowingList, diedOrdinal.values[i] as number);
  }
  committed.logs = logs;
  committed.tip = { batch, checksum, block };
  if (diedSlot.length > 0) for (let each = 0; each < committed.lists.length; each++) skipDead(committed, each);
}

function foldInteractions(committed: Committed, { interactions, words, slot }: Overlay): void {
  const { keyAt, hash, ordinal, cell, fresh, length } = interactions;
  const { table } = committed;
  for (let i = 0; i < length; i++) {
    if (i % TOUCH_KEYS === 0) table.touch(hash, i, Math.min(i + TOUCH_KEYS, length));
    const at = keyAt[i] as number;
    const h = hash[i] as number;
    let address = cell[i] as number;
    if (address === ASK) address = table.find(words, at, ((words[at - 2] as number) >>> 2) & 127, h);
    const number = ordinal[i] as number;
    if (number === DELETED) {
      if (address !== 0) removeKey(committed, h, address);
      continue;
    }
    const isNew = address === 0;
    if (!isNew) address = updateCell(committed, address, h, words, at, slot, number);
    else address = fresh[i] === 0 ? createCell(committed, words, at, slot, number) : (fresh[i] as number);
    if (isNew) {
      setOrdinal(committed, address, number);
      table.insert(h, address);
    }
    addToLog(committed, slot, number, address);
  }
}

/** Moves the log's mark over records that are dead, as far as they go. */
function skipDead(committed: Committed, slot: number): void {
  const { values, length } = committed.lists[slot] as GrowingList;
  let ordinal = committed.deadBelow[slot] as number;
  while (ordinal < length && !isLive(committed, slot, ordinal, values[ordinal] as number)) ordinal += 1;
  committed.deadBelow[slot] = ordinal;
}
