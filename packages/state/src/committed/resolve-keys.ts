/**
 * Finds each key's cell, and the record that the batch replaces.
 *
 * The next batch's bytes depend on this, the batch's own do not. So it runs after the commit, or when the next batch is prepared.
 */

import { orderByHash } from '../key-table/hash-order.ts';
import { keyBytesOfHead } from '../log/format.ts';
import { type Overlay, recordDeath } from '../overlay/overlay.ts';
import { inRanges } from '../typed-arrays/ranges.ts';
import type { Committed } from './committed.ts';
import { type Location, locate, NOWHERE } from './locate-record.ts';

/** Resolves the remaining own keys in order[0, until). All ancestors must be resolved. */
export function resolveKeys(committed: Committed, overlay: Overlay, until: number): void {
  const { interactions, words } = overlay;
  const { keyAt, head, hash, order, sorted, own, cell } = interactions;
  if (overlay.resolved === 0) orderByHash(hash, own, order, sorted);
  const location: Location = { slot: NOWHERE, ordinal: 0, bytes: 0, cell: 0 };
  const sought = { words, keyAt, head, order, sorted };
  inRanges(overlay.resolved, until, (from, to) => {
    committed.table.findEach(sought, from, to, own, cell);
    recordReplaced(committed, overlay, from, to, location);
  });
  overlay.resolved = Math.max(overlay.resolved, until);
}

function recordReplaced(committed: Committed, overlay: Overlay, from: number, to: number, location: Location): void {
  const { interactions, words, parent, slot, begins } = overlay;
  const { keyAt, head, hash, order, cell } = interactions;
  for (let at = from; at < to; at++) {
    const i = order[at] as number;
    if (cell[i] === 0 && parent === undefined) continue;
    const keyBytes = keyBytesOfHead(head[i] as number);
    locate(committed, parent, words, keyAt[i] as number, keyBytes, hash[i] as number, cell[i] as number, location);
    cell[i] = location.cell;
    // A replaced file takes its records with it.
    if (location.slot === NOWHERE || (begins && location.slot === slot)) continue;
    recordDeath(overlay, location.slot, location.ordinal, location.bytes);
  }
}
