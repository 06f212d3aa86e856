/** Folding: a committed batch becomes part of the state that readers see. One synchronous step; it cannot fail. */
import { assert } from '@slipstream/primitives';
import { type Committed, isLive, removeKey, storePut } from './committed.ts';
import { clear, type GrowingList, push } from './growing-list.ts';
import { TOUCH_KEYS } from './key-table.ts';
import { ASK, DELETED, type Overlay } from './overlay.ts';

export function fold(committed: Committed, overlay: Overlay): void {
  const { slot, batch, checksum, block, begins, diedSlot, diedOrdinal, logs } = overlay;
  assert(batch === committed.tip.batch + 1, 'batches are committed in order');
  if (begins) {
    clear(committed.lists[slot] as GrowingList);
    committed.deadBelow[slot] = 0;
  }
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

/** Insertions into the table come in a loop of their own: they wait for memory together. */
function foldInteractions(committed: Committed, { interactions, words, slot }: Overlay): void {
  const { keyAt, hash, ordinal, cell: created, length } = interactions;
  const { table } = committed;
  for (let i = 0; i < length; i++) {
    const at = keyAt[i] as number;
    const h = hash[i] as number;
    let address = created[i] as number;
    if (address === ASK) address = table.find(words, at, ((words[at - 2] as number) >>> 2) & 127, h);
    const number = ordinal[i] as number;
    created[i] = 0;
    if (number === DELETED) {
      if (address !== 0) removeKey(committed, h, address);
    } else {
      const stored = storePut(committed, address, h, words, at, slot, number);
      if (address === 0) created[i] = stored;
    }
  }
  for (let i = 0; i < length; i++) {
    if (i % TOUCH_KEYS === 0) table.touch(hash, i, Math.min(i + TOUCH_KEYS, length));
    if (created[i] !== 0) table.insert(hash[i] as number, created[i] as number);
  }
}

/** Moves the log's mark over records that are dead, as far as they go. */
function skipDead(committed: Committed, slot: number): void {
  const { values, length } = committed.lists[slot] as GrowingList;
  let ordinal = committed.deadBelow[slot] as number;
  while (ordinal < length && !isLive(committed, slot, ordinal, values[ordinal] as number)) ordinal += 1;
  committed.deadBelow[slot] = ordinal;
}
