/** Finds a key's record: in the newest overlay of a lineage that touches the key, else in the committed state. */
import { keyBytesOf, PAGE_MASK, slotOf, valueBytesOf } from '../key-table/cells.ts';
import { keyBytesOfHead, valueBytesOfHead } from '../log/format.ts';
import { putBytes } from '../log/segment-writer.ts';
import { DELETED, findInteraction, IN_OVERLAY, type Overlay } from '../overlay/overlay.ts';
import type { Committed } from './committed.ts';

/** Filled in by `locate`. One object is reused for a whole batch. */
export interface Location {
  /** Log of the key's live record, or NOWHERE. */
  slot: number;
  ordinal: number;
  /** Size of the record in its file. */
  bytes: number;
  /** Value for the interaction's `cell`. */
  cell: number;
}

export const NOWHERE = -1;

/** Locates the key of `keyBytes` bytes at `words[at]`. `address`: its committed cell, or 0. */
export function locate(
  committed: Committed,
  newest: Overlay | undefined,
  words: Int32Array,
  at: number,
  keyBytes: number,
  hash: number,
  address: number,
  location: Location,
): void {
  for (let overlay = newest; overlay !== undefined; overlay = overlay.parent) {
    const found = findInteraction(overlay.interactions, overlay.words, words, at, keyBytes, hash);
    if (found < 0) continue;
    const head = overlay.interactions.head[found] as number;
    location.ordinal = overlay.interactions.ordinal[found] as number;
    location.slot = location.ordinal === DELETED ? NOWHERE : overlay.slot;
    location.bytes = putBytes(keyBytesOfHead(head), valueBytesOfHead(head));
    location.cell = IN_OVERLAY;
    return;
  }
  location.cell = 0;
  location.slot = NOWHERE;
  if (address === 0) return;
  const page = committed.cells.page(address);
  const packed = page[(address & PAGE_MASK) + 1] as number;
  location.cell = address;
  location.slot = slotOf(packed);
  location.ordinal = page[address & PAGE_MASK] as number;
  location.bytes = putBytes(keyBytesOf(packed), valueBytesOf(packed));
}
