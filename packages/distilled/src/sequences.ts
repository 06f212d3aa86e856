/**
 * Sequences instead of nonces: each runs once, and 64 below the highest may still run, so many rows are in flight in any order.
 *
 *   fresh   last < s <= last + 2^20, or last - 64 <= s < last and its bit is clear
 *   mask    bit i is the sequence last - 1 - i; set: it ran
 *
 * An account begins with last = 0, so sequence 0 never runs. A jump loses the sequences that it passes by more than 64.
 */

const SEQUENCES_BELOW = 64;
const SEQUENCE_JUMP_MAX = 2 ** 20;

/** Two words of a mask, in `masks` from `at` on, the low one first. */
export function isFresh(sequence: number, last: number, masks: Uint32Array, at: number): boolean {
  if (sequence > last) return sequence - last <= SEQUENCE_JUMP_MAX;
  const bit = last - 1 - sequence;
  if (bit < 0 || bit >= SEQUENCES_BELOW) return false;
  return (((masks[at + (bit >> 5)] as number) >>> (bit & 31)) & 1) === 0;
}

/** Returns the new last. The sequence must be fresh. */
export function markUsed(sequence: number, last: number, masks: Uint32Array, at: number): number {
  if (sequence < last) {
    const bit = last - 1 - sequence;
    masks[at + (bit >> 5)] = (masks[at + (bit >> 5)] as number) | (1 << (bit & 31));
    return last;
  }
  shiftMask(masks, at, sequence - last);
  return sequence;
}

/** Up by `distance` bits; the bit of the old last is set. */
function shiftMask(masks: Uint32Array, at: number, distance: number): void {
  const low = masks[at] as number;
  const high = masks[at + 1] as number;
  if (distance > SEQUENCES_BELOW) {
    masks[at] = 0;
    masks[at + 1] = 0;
  } else if (distance > 32) {
    const rest = distance - 32;
    masks[at] = 0;
    masks[at + 1] = (rest === 32 ? 0 : low << rest) | (1 << (rest - 1));
  } else if (distance === 32) {
    masks[at] = 1 << 31;
    masks[at + 1] = low;
  } else {
    masks[at] = (low << distance) | (1 << (distance - 1));
    masks[at + 1] = (high << distance) | (low >>> (32 - distance));
  }
}
