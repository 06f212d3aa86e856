/**
 * Folding: a committed batch becomes part of the state that readers see. One synchronous step; it cannot fail.
 *
 * Keys that are new are staged while the disk writes the batch: they are in the table, and readers pass over them until then.
 */
import { assert } from '@slipstream/primitives';
import { STAGED } from './cells.ts';
import { addToLog, type Committed, createCell, isLive, removeKey, unveil, updateCell } from './committed.ts';
import { keyBytesOfRecord } from './format.ts';
import { clear, type GrowingList, push, reserve } from './growing-list.ts';
import { TOUCH_KEYS } from './key-table.ts';
import { ASK, DELETED, type Overlay } from './overlay.ts';

/**
 * Enters the keys that are new, up to a share (0 to 1) of the batch. Their cells are STAGED: no reader sees them, and none of
 * their ordinals, which may be those of another file of the same log, counts.
 */
export function stage(committed: Committed, overlay: Overlay, share: number): void {
  const { words, interactions } = overlay;
  const { keyAt, hash, ordinal, cell, fresh, length } = interactions;
  const { table } = committed;
  const until = Math.ceil(length * share);
  for (let i = overlay.staged; i < until; i++) {
    if (i % TOUCH_KEYS === 0) table.touch(hash, i, Math.min(i + TOUCH_KEYS, length));
    fresh[i] = 0;
    if (cell[i] !== 0 || ordinal[i] === DELETED) continue;
    const address = createCell(committed, words, keyAt[i] as number, STAGED, 0);
    table.insert(hash[i] as number, address);
    fresh[i] = address;
    committed.stagedKeys += 1;
  }
  overlay.staged = until;
}

/** Takes out what was staged. */
export function unstage(committed: Committed, overlay: Overlay): void {
  const { fresh, hash } = overlay.interactions;
  for (let i = overlay.staged - 1; i >= 0; i--) {
    if (fresh[i] === 0) continue;
    removeKey(committed, hash[i] as number, fresh[i] as number);
    committed.stagedKeys -= 1;
  }
  overlay.staged = 0;
}

export function fold(committed: Committed, overlay: Overlay): void {
  const { slot, batch, checksum, block, begins, diedSlot, diedOrdinal, logs } = overlay;
  assert(batch === committed.tip.batch + 1, 'batches are committed in order');
  if (begins) {
    clear(committed.lists[slot] as GrowingList);
    committed.deadBelow[slot] = 0;
  }
  stage(committed, overlay, 1);
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
    const number = ordinal[i] as number;
    if (fresh[i] !== 0) {
      unveil(committed, fresh[i] as number, slot, number);
      committed.stagedKeys -= 1;
      addToLog(committed, slot, number, fresh[i] as number);
      continue;
    }
    const at = keyAt[i] as number;
    const h = hash[i] as number;
    let address = cell[i] as number;
    if (address === ASK) address = table.find(words, at, keyBytesOfRecord(words, at), h);
    if (number === DELETED) {
      if (address !== 0) removeKey(committed, h, address);
      continue;
    }
    if (address !== 0) address = updateCell(committed, address, h, words, at, slot, number);
    else {
      address = createCell(committed, words, at, slot, number);
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
