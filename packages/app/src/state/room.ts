/**
 * Memory for the bytes of keys, values and events on their way to the host and back: the same for all, so that an access makes no array.
 *
 * One user has it at a time. Another that comes meanwhile, as a value's getter may, gets an array of its own, and so does what is longer: no
 * result depends on which of them it is.
 */
import { VALUE_BYTES_MAX } from '../host.ts';

const memory = new Uint8Array(VALUE_BYTES_MAX);
let isFree = true;

/** At least `bytes` long, with anything in it. */
export function takeRoom(bytes: number): Uint8Array {
  if (!isFree || bytes > memory.length) return new Uint8Array(bytes);
  isFree = false;
  return memory;
}

export function giveRoom(room: Uint8Array): void {
  if (room === memory) isFree = true;
}

/** Before a call: the last user may have thrown. */
export function freeRoom(): void {
  isFree = true;
}
