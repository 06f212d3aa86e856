/**
 * Overlay: a prepared batch, with its bytes on disk and its effects on the index.
 *
 *   view(block) --> overlay --> overlay of its parent --> ... --> index
 */
import { assert } from '@slipstream/primitives';
import { keyBytesOfHead } from '../log/format.ts';
import type { LogTable } from '../log/log-table.ts';
import { type GrowingList, push } from '../typed-arrays/growing-list.ts';
import { sameWords, wordsFor } from '../typed-arrays/word-arrays.ts';

/** A batch's effects on keys, in record order: first its own, then the records it moves. */
export interface Interactions {
  length: number;
  /** Word of the segment at which the key begins. */
  keyAt: Int32Array;
  /** Head of a row with this record alone. */
  head: Int32Array;
  hash: Int32Array;
  /** Ordinal of the Put in its file, or DELETED. */
  ordinal: Int32Array;
  /** The key's committed cell, 0 for none, IN_OVERLAY when an ancestor's overlay holds it. Own interactions: undefined until resolved. */
  cell: Int32Array;
  /** The cell of a new key, else 0. Own interactions: undefined until folded. */
  fresh: Int32Array;
  /** Own interactions in index order, and their hashes. Set by resolveKeys. */
  order: Int32Array;
  sorted: Int32Array;
  own: number;
  /** Open addressing by the hash's high bits: number of the interaction plus one. */
  slots: Int32Array;
}

export const DELETED = -1;
/** Stands for no cell, because none begins in the last word. */
export const IN_OVERLAY = -1;

export interface Overlay {
  readonly block: string;
  readonly batch: number;
  /** Undefined once the parent is folded. */
  parent: Overlay | undefined;
  /** Readers use the overlay once it is committed, and the index once it is folded. */
  status: 'prepared' | 'appended' | 'committed' | 'folded' | 'dropped';
  /** Number of own interactions, in `order`, that are resolved. */
  resolved: number;
  readonly slot: number;
  /** The batch begins a new file; `replaces` is the file that it replaces, or -1. */
  readonly begins: boolean;
  readonly replaces: number;
  readonly offset: number;
  /** The segment's buffer, to which keyAt refers. */
  words: Int32Array;
  readonly bytes: Uint8Array;
  readonly checksum: Uint8Array;
  interactions: Interactions;
  /** Records that die by this batch, except in a file that it replaces. */
  diedSlot: GrowingList;
  diedOrdinal: GrowingList;
  /** After this batch; `live` is final once all keys are resolved. */
  readonly logs: LogTable;
}

export function createInteractions(expected: number): Interactions {
  return {
    length: 0,
    keyAt: new Int32Array(expected),
    head: new Int32Array(expected),
    hash: new Int32Array(expected),
    ordinal: new Int32Array(expected),
    cell: new Int32Array(expected),
    fresh: new Int32Array(expected),
    order: new Int32Array(expected),
    sorted: new Int32Array(expected),
    own: 0,
    slots: new Int32Array(slotsFor(expected)),
  };
}

/** A power of two, at most half full. */
function slotsFor(count: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, count))) + 1);
}

const shiftFor = (slots: Int32Array): number => Math.clz32(slots.length) + 1;

/** The interaction with the key of `keyBytes` at `words[at]`, or -1. `segment` holds their keys. */
export function findInteraction(
  { slots, hash: hashes, keyAt, head }: Interactions,
  segment: Int32Array,
  words: Int32Array,
  at: number,
  keyBytes: number,
  hash: number,
): number {
  const mask = slots.length - 1;
  for (let slot = hash >>> shiftFor(slots); ; slot = (slot + 1) & mask) {
    const found = (slots[slot] as number) - 1;
    if (found < 0) return -1;
    if (hashes[found] !== hash) continue;
    if (keyBytesOfHead(head[found] as number) !== keyBytes) continue;
    if (sameWords(segment, keyAt[found] as number, words, at, wordsFor(keyBytes))) return found;
  }
}

/** Makes interaction `number` findable. Returns false when its key is present. */
export function indexInteraction(interactions: Interactions, segment: Int32Array, number: number): boolean {
  const { slots, hash } = interactions;
  const mask = slots.length - 1;
  const own = hash[number] as number;
  let slot = own >>> shiftFor(slots);
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const other = (slots[slot] as number) - 1;
    if (hash[other] === own && sameKey(interactions, segment, other, number)) return false;
  }
  slots[slot] = number + 1;
  return true;
}

/** The key must have no interaction yet. */
export function addInteraction(
  interactions: Interactions,
  segment: Int32Array,
  keyAt: number,
  head: number,
  hash: number,
  ordinal: number,
  cell: number,
): void {
  const number = interactions.length;
  if (number === interactions.keyAt.length) growInteractions(interactions, segment);
  interactions.keyAt[number] = keyAt;
  interactions.head[number] = head;
  interactions.hash[number] = hash;
  interactions.ordinal[number] = ordinal;
  interactions.cell[number] = cell;
  interactions.fresh[number] = 0;
  interactions.length = number + 1;
  assert(indexInteraction(interactions, segment, number), 'a record is moved only if the batch leaves its key alone');
}

function sameKey({ keyAt, head }: Interactions, segment: Int32Array, one: number, other: number): boolean {
  const keyBytes = keyBytesOfHead(head[one] as number);
  if (keyBytes !== keyBytesOfHead(head[other] as number)) return false;
  return sameWords(segment, keyAt[one] as number, segment, keyAt[other] as number, wordsFor(keyBytes));
}

function growInteractions(interactions: Interactions, segment: Int32Array): void {
  const capacity = Math.max(16, interactions.length * 2);
  for (const list of ['keyAt', 'head', 'hash', 'ordinal', 'cell', 'fresh', 'order', 'sorted'] as const) {
    const wider = new Int32Array(capacity);
    wider.set(interactions[list]);
    interactions[list] = wider;
  }
  interactions.slots = new Int32Array(slotsFor(capacity));
  for (let i = 0; i < interactions.length; i++) indexInteraction(interactions, segment, i);
}

/** Overlays from `newest` down to the committed state. */
export function lineageOf(newest: Overlay | undefined): readonly Overlay[] {
  const lineage: Overlay[] = [];
  for (let overlay = newest; overlay !== undefined; overlay = overlay.parent) lineage.push(overlay);
  return lineage;
}

type Deaths = Pick<Overlay, 'diedSlot' | 'diedOrdinal' | 'logs'>;

export function recordDeath(
  { diedSlot, diedOrdinal, logs }: Deaths,
  slot: number,
  ordinal: number,
  bytes: number,
): void {
  push(diedSlot, slot);
  push(diedOrdinal, ordinal);
  logs.live[slot] = (logs.live[slot] as number) - bytes;
}
