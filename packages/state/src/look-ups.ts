/**
 * Looking up what a prepared batch replaces: for each of its keys the cell that it has, and the record that dies.
 *
 * The batch's own bytes do not depend on it (prepare.ts), those of the next one do. So it is done once the batch is committed, or
 * when the next one is prepared, whichever comes first.
 */
import type { Committed } from './committed.ts';
import { keyBytesOfHead } from './format.ts';
import { orderByHash } from './hash-order.ts';
import { type Location, locate, NOWHERE } from './lineage.ts';
import type { Overlay } from './overlay.ts';
import { die } from './preparation.ts';
import { inRanges } from './ranges.ts';

/** Looks up the batch's own keys order[0, until), as far as they are not yet. Its ancestors' must be. */
export function lookUp(committed: Committed, overlay: Overlay, until: number): void {
  const { interactions, words } = overlay;
  const { keyAt, head, hash, order, sorted, own, cell } = interactions;
  if (overlay.lookedUp === 0) orderByHash(hash, own, order, sorted);
  const location: Location = { slot: NOWHERE, ordinal: 0, bytes: 0, cell: 0 };
  const sought = { words, keyAt, head, order, sorted };
  inRanges(overlay.lookedUp, until, (from, to) => {
    committed.table.findEach(sought, from, to, own, cell);
    settle(committed, overlay, from, to, location);
  });
  overlay.lookedUp = Math.max(overlay.lookedUp, until);
}

function settle(committed: Committed, overlay: Overlay, from: number, to: number, location: Location): void {
  const { interactions, words, parent, slot, begins } = overlay;
  const { keyAt, head, hash, order, cell } = interactions;
  for (let at = from; at < to; at++) {
    const i = order[at] as number;
    if (cell[i] === 0 && parent === undefined) continue;
    const keyBytes = keyBytesOfHead(head[i] as number);
    locate(committed, parent, words, keyAt[i] as number, keyBytes, hash[i] as number, cell[i] as number, location);
    cell[i] = location.cell;
    // With the file that a batch replaces goes all that was in it.
    if (location.slot === NOWHERE || (begins && location.slot === slot)) continue;
    die(overlay, location.slot, location.ordinal, location.bytes);
  }
}
