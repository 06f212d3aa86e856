/**
 * Folding: a committed batch becomes part of the state that readers see. One synchronous step; it cannot fail.
 *
 * Keys that are new are staged while the disk writes the batch: they are in the table, and readers pass over them until then.
 * So there is hardly anything left to do for them.
 */
import { assert } from '@slipstream/primitives';
import { STAGED } from './cells.ts';
import {
  type Committed,
  createCell,
  createCellsOf,
  freeCell,
  isLive,
  removeKey,
  unveil,
  updateCell,
} from './committed.ts';
import { OF_RECORD } from './format.ts';
import { clear, type GrowingList, push, reach } from './growing-list.ts';
import { lookUp } from './look-ups.ts';
import { ASK, DELETED, type Interactions, type Overlay } from './overlay.ts';
import { inStretches } from './stretches.ts';

/**
 * Looks up the batch's own keys and enters those that are new, up to a share (0 to 1) of the work: makes their cells, then leads
 * to these. No reader sees a cell whose ordinal its log has not reached yet. Where the batch goes on in its log's file, the
 * cells have log and ordinal at once, and stand in the log's list; where it begins a file, whose ordinals may be those of the
 * file before, they are STAGED.
 */
export function stage(committed: Committed, overlay: Overlay, share: number): void {
  const { own } = overlay.interactions;
  const until = (step: number) => Math.min(own, Math.ceil((3 * share - step) * own));
  lookUp(committed, overlay, until(0));
  makeCells(committed, overlay, until(1));
  enterCells(committed, overlay, until(2));
}

/** In the order of the records, so that they are read as they lie: in the order of the index each one is a cache miss or two. */
function makeCells(committed: Committed, overlay: Overlay, until: number): void {
  const { words, interactions, slot, logs } = overlay;
  if (until <= overlay.made) return;
  if (overlay.made === 0) overlay.goesOn = committed.logs.file[slot] === logs.file[slot];
  const { goesOn } = overlay;
  const list = committed.lists[slot] as GrowingList;
  if (goesOn) reach(list, logs.puts[slot] as number);
  const shown = goesOn ? slot : STAGED;
  inStretches(overlay.made, until, (from, to) => {
    overlay.cells += createCellsOf(committed, words, interactions, shown, from, to);
    if (goesOn) listStretch(interactions, list.values, from, to);
  });
  overlay.made = until;
}

function listStretch({ ordinal, fresh }: Interactions, list: Int32Array, from: number, to: number): void {
  for (let i = from; i < to; i++) if (fresh[i] !== 0) list[ordinal[i] as number] = fresh[i] as number;
}

function enterCells(committed: Committed, overlay: Overlay, until: number): void {
  const { interactions, fresh, cells } = overlay;
  const enter = (from: number, to: number) => {
    overlay.fresh += committed.table.insertEach(interactions, interactions.fresh, from, to);
  };
  if (fresh < cells) inStretches(overlay.entered, until, enter);
  overlay.entered = Math.max(overlay.entered, until);
  committed.stagedKeys += overlay.fresh - fresh;
}

/** Takes out what was staged. */
export function unstage(committed: Committed, overlay: Overlay): void {
  const { interactions } = overlay;
  const { fresh } = interactions;
  committed.table.removeEach(interactions, fresh, overlay.entered);
  committed.stagedKeys -= overlay.fresh;
  for (let i = overlay.made - 1; i >= 0; i--) if (fresh[i] !== 0) freeCell(committed, fresh[i] as number);
  overlay.entered = 0;
  overlay.made = 0;
  overlay.fresh = 0;
  overlay.cells = 0;
}

export function fold(committed: Committed, overlay: Overlay): void {
  const { slot, batch, checksum, block, begins, diedSlot, diedOrdinal, logs } = overlay;
  assert(batch === committed.tip.batch + 1, 'batches are committed in order');
  if (begins) {
    clear(committed.lists[slot] as GrowingList);
    committed.deadBelow[slot] = 0;
  }
  stage(committed, overlay, 1);
  const list = committed.lists[slot] as GrowingList;
  const puts = logs.puts[slot] as number;
  reach(list, puts);
  inStretches(0, overlay.interactions.length, (from, to) => foldStretch(committed, overlay, list.values, from, to));
  list.length = puts;
  committed.stagedKeys -= overlay.fresh;
  clear(committed.died[slot] as GrowingList);
  for (let i = 0; i < diedSlot.length; i++) {
    push(committed.died[diedSlot.values[i] as number] as GrowingList, diedOrdinal.values[i] as number);
  }
  committed.logs = logs;
  committed.tip = { batch, checksum, block };
  if (diedSlot.length > 0) for (let each = 0; each < committed.lists.length; each++) skipDead(committed, each);
}

/** What is left to do for keys that are not new; and for all of them, where the batch begins a file. */
function foldStretch(
  committed: Committed,
  { interactions, words, slot, goesOn }: Overlay,
  list: Int32Array,
  from: number,
  to: number,
): void {
  const { keyAt, hash, ordinal, cell, fresh } = interactions;
  const { table } = committed;
  for (let i = from; i < to; i++) {
    const number = ordinal[i] as number;
    let address = fresh[i] as number;
    if (address !== 0) {
      if (goesOn) continue;
      unveil(committed, address, slot);
      list[number] = address;
      continue;
    }
    const at = keyAt[i] as number;
    const h = hash[i] as number;
    address = cell[i] as number;
    if (address === ASK) address = table.find(words, at, OF_RECORD, h);
    if (number === DELETED) {
      if (address !== 0) removeKey(committed, h, address);
      continue;
    }
    if (address !== 0) address = updateCell(committed, address, h, words, at, slot, number);
    else {
      address = createCell(committed, words, at, slot, number);
      table.insert(h, address);
    }
    list[number] = address;
  }
}

/** Moves the log's mark over records that are dead, as far as they go. */
function skipDead(committed: Committed, slot: number): void {
  const { values, length } = committed.lists[slot] as GrowingList;
  let ordinal = committed.deadBelow[slot] as number;
  while (ordinal < length && !isLive(committed, slot, ordinal, values[ordinal] as number)) ordinal += 1;
  committed.deadBelow[slot] = ordinal;
}
