/**
 * A bucket of the key table.
 *
 *   slot    addressed by hash: number of the entry plus one (12 bits), tag (4 bits of the hash); 0 while empty
 *   entry   (address, hash), in insertion order
 */
import { assert } from '@slipstream/primitives';

export const SLOT_BITS = 12;
export const SLOTS = 1 << SLOT_BITS;
export const SLOT_MASK = SLOTS - 1;
export const NUMBER_BITS = 12;
const NUMBER_MASK = (1 << NUMBER_BITS) - 1;
const LIMIT_LEAST = Math.floor(SLOTS * 0.4);
const LIMIT_SPREAD = Math.floor(SLOTS * 0.25);
/** Layout in words: slots, entries, number of entries, hash bits that lead here, entries at which the bucket splits. */
export const FIRST_ENTRY = SLOTS / 2;
export const COUNT = FIRST_ENTRY + 2 * (LIMIT_LEAST + LIMIT_SPREAD);
export const DEPTH = COUNT + 1;
export const LIMIT = COUNT + 2;
export const BUCKET_WORDS = COUNT + 4;
/** Adjacent buckets. `base` is the first word of a bucket. */
export interface Slab {
  readonly words: Int32Array;
  readonly slots: Uint16Array;
}

export function createSlab(buckets: number): Slab {
  const words = new Int32Array(BUCKET_WORDS * buckets);
  return { words, slots: new Uint16Array(words.buffer) };
}

/** Number of entries at which the bucket of this prefix splits. */
export function limitOf(prefix: number): number {
  return LIMIT_LEAST + ((Math.imul(prefix * 2 + 1, 0x9e3779b1) >>> 16) % LIMIT_SPREAD);
}

/** Mixes all bits, because neighbours share those that select bucket and slot. */
export const tagOf = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> 28;

/** First word of the entry that a slot refers to. */
export const entryAt = (base: number, slot: number): number => base + FIRST_ENTRY + 2 * ((slot & NUMBER_MASK) - 1);

/** Numbers of keys, grouped by the hash's high bits, and the hashes in that order. */
export interface Ordered {
  readonly order: Int32Array;
  readonly sorted: Int32Array;
}

export function place({ words, slots }: Slab, base: number, hash: number, address: number): void {
  const first = 2 * base;
  let slot = hash & SLOT_MASK;
  while (slots[first + slot] !== 0) slot = (slot + 1) & SLOT_MASK;
  const number = words[base + COUNT] as number;
  slots[first + slot] = (number + 1) | (tagOf(hash) << NUMBER_BITS);
  words[base + FIRST_ENTRY + 2 * number] = address;
  words[base + FIRST_ENTRY + 2 * number + 1] = hash;
  words[base + COUNT] = number + 1;
}

export function slotHolding({ words, slots }: Slab, base: number, hash: number, address: number): number {
  const tag = tagOf(hash);
  for (let slot = hash & SLOT_MASK; ; slot = (slot + 1) & SLOT_MASK) {
    const seen = slots[2 * base + slot] as number;
    assert(seen !== 0, 'the address is in the table');
    if (seen >>> NUMBER_BITS === tag && words[entryAt(base, seen)] === address) return slot;
  }
}

/** Removes the slot's entry. The last entry moves into the gap. */
export function removeSlot(slab: Slab, base: number, slot: number): void {
  const { words, slots } = slab;
  const entry = entryAt(base, slots[2 * base + slot] as number);
  const last = base + FIRST_ENTRY + 2 * ((words[base + COUNT] as number) - 1);
  if (entry !== last) {
    const other = slotHolding(slab, base, words[last + 1] as number, words[last] as number);
    const number = (slots[2 * base + slot] as number) & NUMBER_MASK;
    slots[2 * base + other] = ((slots[2 * base + other] as number) & ~NUMBER_MASK) | number;
    words[entry] = words[last] as number;
    words[entry + 1] = words[last + 1] as number;
  }
  words[base + COUNT] = (words[base + COUNT] as number) - 1;
  closeGap(slab, base, slot);
}

/** Empties a slot and moves later slots of its run back, so that no probe meets a hole before its key. */
function closeGap({ words, slots }: Slab, base: number, slot: number): void {
  const first = 2 * base;
  let hole = slot;
  for (let at = (hole + 1) & SLOT_MASK; slots[first + at] !== 0; at = (at + 1) & SLOT_MASK) {
    const home = (words[entryAt(base, slots[first + at] as number) + 1] as number) & SLOT_MASK;
    if (((at - home) & SLOT_MASK) < ((at - hole) & SLOT_MASK)) continue;
    slots[first + hole] = slots[first + at] as number;
    hole = at;
  }
  slots[first + hole] = 0;
}

/** Adds those of order[from, to) with an address. The bucket must have capacity. */
export function placeRun(
  slab: Slab,
  base: number,
  { order, sorted }: Ordered,
  addresses: Int32Array,
  from: number,
  to: number,
): void {
  const { words, slots } = slab;
  const first = 2 * base;
  let number = words[base + COUNT] as number;
  for (let at = from; at < to; at++) {
    const address = addresses[order[at] as number] as number;
    if (address === 0) continue;
    const hash = sorted[at] as number;
    let slot = hash & SLOT_MASK;
    while (slots[first + slot] !== 0) slot = (slot + 1) & SLOT_MASK;
    slots[first + slot] = (number + 1) | (tagOf(hash) << NUMBER_BITS);
    words[base + FIRST_ENTRY + 2 * number] = address;
    words[base + FIRST_ENTRY + 2 * number + 1] = hash;
    number += 1;
  }
  words[base + COUNT] = number;
}
