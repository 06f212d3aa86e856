/**
 * Overlay: a prepared batch. The exact bytes it will be on disk, and what it does to the index, found by key.
 *
 *   view(block) --> overlay --> overlay of its parent --> ... --> committed state
 */
import { createGrowingList, type GrowingList, push } from './growing-list.ts';
import type { LogTable } from './log-table.ts';
import { sameWords, wordsFor } from './words.ts';

/** What a batch does to keys, in the order of its records; also records that it moves without changing them. */
export interface Interactions {
  /** Word of the segment at which the key begins. */
  readonly keyAt: GrowingList;
  readonly hash: GrowingList;
  /** Ordinal of the Put in its log's file, DELETED of a Delete. */
  readonly ordinal: GrowingList;
  /** Cell of the key in the committed state, 0 when it was in none, ASK when an ancestor's overlay holds the key. */
  readonly cell: GrowingList;
  /** Open addressing by hash: number of the interaction plus one. */
  slots: Int32Array;
}

export const DELETED = -1;
/** No cell begins in the last word of the address space. */
export const ASK = -1;

export interface Overlay {
  readonly block: string;
  readonly batch: number;
  /** Undefined once the parent is committed. */
  parent: Overlay | undefined;
  status: 'prepared' | 'appended' | 'committed' | 'dropped';
  readonly slot: number;
  /** True when the batch begins a new file; the file it replaces then, or -1. */
  readonly begins: boolean;
  readonly replaces: number;
  /** Where the segment stands in its file. */
  readonly offset: number;
  /** The buffer that the segment was built in: keyAt counts from its begin. */
  readonly words: Int32Array;
  readonly bytes: Uint8Array;
  readonly checksum: Uint8Array;
  readonly interactions: Interactions;
  /** Records of other logs that die by this batch. */
  readonly diedSlot: GrowingList;
  readonly diedOrdinal: GrowingList;
  /** After this batch. */
  readonly logs: LogTable;
}

export function createInteractions(expected: number): Interactions {
  return {
    keyAt: createGrowingList(expected),
    hash: createGrowingList(expected),
    ordinal: createGrowingList(expected),
    cell: createGrowingList(expected),
    slots: new Int32Array(tableLength(expected)),
  };
}

/** A power of two that leaves at least half of the slots empty. */
function tableLength(count: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(Math.max(1, count))) + 1);
}

/** Number of the interaction with the key at `words[at]`, or -1. `segment` holds the keys of the interactions. */
export function findInteraction(
  { slots, hash: hashes, keyAt }: Interactions,
  segment: Int32Array,
  words: Int32Array,
  at: number,
  keyBytes: number,
  hash: number,
): number {
  const mask = slots.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    const found = (slots[slot] as number) - 1;
    if (found < 0) return -1;
    if (hashes.values[found] !== hash) continue;
    const from = keyAt.values[found] as number;
    if ((((segment[from - 2] as number) >>> 2) & 127) !== keyBytes) continue;
    if (sameWords(segment, from, words, at, wordsFor(keyBytes))) return found;
  }
}

/** Returns false, and adds nothing, when the key has an interaction already. */
export function addInteraction(
  interactions: Interactions,
  segment: Int32Array,
  keyAt: number,
  hash: number,
  ordinal: number,
  cell: number,
): boolean {
  const { length } = interactions.hash;
  if ((length + 1) * 2 > interactions.slots.length) widen(interactions);
  const { slots, hash: hashes, keyAt: keys } = interactions;
  const mask = slots.length - 1;
  let slot = hash & mask;
  for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const other = (slots[slot] as number) - 1;
    if (hashes.values[other] === hash && sameKey(segment, keys.values[other] as number, keyAt)) return false;
  }
  slots[slot] = length + 1;
  push(keys, keyAt);
  push(hashes, hash);
  push(interactions.ordinal, ordinal);
  push(interactions.cell, cell);
  return true;
}

function sameKey(segment: Int32Array, one: number, other: number): boolean {
  const keyBytes = ((segment[one - 2] as number) >>> 2) & 127;
  const otherBytes = ((segment[other - 2] as number) >>> 2) & 127;
  return keyBytes === otherBytes && sameWords(segment, one, segment, other, wordsFor(keyBytes));
}

function widen(interactions: Interactions): void {
  const { length, values } = interactions.hash;
  interactions.slots = new Int32Array(tableLength(length * 2));
  const mask = interactions.slots.length - 1;
  for (let i = 0; i < length; i++) {
    let slot = (values[i] as number) & mask;
    while (interactions.slots[slot] !== 0) slot = (slot + 1) & mask;
    interactions.slots[slot] = i + 1;
  }
}

/** Overlays from `newest` down to the committed state. */
export function lineageOf(newest: Overlay | undefined): readonly Overlay[] {
  const lineage: Overlay[] = [];
  for (let overlay = newest; overlay !== undefined; overlay = overlay.parent) lineage.push(overlay);
  return lineage;
}
