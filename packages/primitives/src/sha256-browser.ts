import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/** Pure JavaScript: the browser's own is asynchronous. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}

/** Writes the hash into `target` from `at` on. */
export function writeSha256(bytes: Uint8Array, target: Uint8Array, at: number): void {
  target.set(nobleSha256(bytes), at);
}
