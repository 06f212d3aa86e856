import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';

/** SHA-256 in one call, in pure JavaScript: what browsers use (their own is asynchronous). */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}

/** The same at a place of an array. */
export function writeSha256(bytes: Uint8Array, target: Uint8Array, at: number): void {
  target.set(nobleSha256(bytes), at);
}
