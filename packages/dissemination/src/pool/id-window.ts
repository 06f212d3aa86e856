/**
 * Id window: transactions executed by the blocks of the last minute; the oldest are forgotten first.
 *
 *   add --> ring, newest ... oldest --forgetOldest--> gone          has --> word table
 *
 * Typed arrays, as a Set of 120,000 texts is slower. A full ring doubles and never shrinks: 32 bytes for each id. An id is recognized by
 * its first 128 bits: ids are hashes, so no collision can be found.
 */
import { createWordTable, NONE } from '@slipstream/crypto';

interface IdWindow {
  /** Lower-case hex, no prefix. */
  add(id: string): void;
  has(id: string): boolean;
  forgetOldest(count: number): void;
  readonly size: number;
}

const WORDS = 4;
const WORD_DIGITS = 8;
/** Ids of a busy block. */
const CAPACITY_FIRST = 1_024;

/** `hashKey`: eight secret bytes. */
export function createIdWindow(hashKey: Uint8Array): IdWindow {
  const table = createWordTable(WORDS, CAPACITY_FIRST, hashKey);
  const { wanted } = table;
  /** Places of the oldest and after the newest. They only grow; the low bits are a slot. */
  let first = 0;
  let end = 0;

  function load(id: string): void {
    for (let i = 0; i < WORDS; i++) wanted[i] = wordOf(id, i * WORD_DIGITS);
    table.aim();
  }

  function slotAt(place: number): number {
    return place & (table.capacity - 1);
  }

  function grow(): void {
    table.grow(slotAt(first));
    end -= first;
    first = 0;
  }

  return {
    add(id) {
      if (end - first === table.capacity) grow();
      load(id);
      table.put(slotAt(end++));
    },
    has(id) {
      load(id);
      return table.find() !== NONE;
    },
    forgetOldest(count) {
      for (let i = 0; i < count && first < end; i++) table.remove(slotAt(first++));
    },
    get size() {
      return end - first;
    },
  };
}

/** Digits 0 to 9 are 0x30 to 0x39, a to f 0x61 to 0x66. */
function wordOf(id: string, from: number): number {
  let word = 0;
  for (let at = from; at < from + WORD_DIGITS; at++) {
    const code = id.charCodeAt(at);
    word = (word << 4) | ((code & 15) + 9 * (code >> 6));
  }
  return word;
}
