/**
 * Counts by account, so that an action reads one entry instead of all validators or proposals:
 *
 *   an operator's validators in the newest record     a governor's proposals in the queue
 */
import { assert } from '@slipstream/primitives';
import type { Entries } from '../overlay.ts';
import type { StateKey } from '../state-keys.ts';

/** Little-endian, of at most 1,024. */
const COUNT_BYTES = 2;

export function encodeCount(count: number): Uint8Array | undefined {
  if (count === 0) return undefined;
  return new Uint8Array([count & 0xff, count >> 8]);
}

export function readCount(entries: Pick<Entries, 'get'>, key: StateKey): number {
  const value = entries.get(key) ?? new Uint8Array(COUNT_BYTES);
  return (value[0] as number) + ((value[1] as number) << 8);
}

export function addToCount(entries: Entries, key: StateKey, by: 1 | -1): void {
  const count = readCount(entries, key) + by;
  assert(count >= 0, 'only what was counted goes');
  entries.set(key, encodeCount(count));
}
