import { hash } from 'node:crypto';

const HASH_BYTES = 32;

/** Requests a binary string, which is three times as fast as an array outside V8's heap. */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES);
  writeSha256(bytes, digest, 0);
  return digest;
}

/** Writes the hash into `target` from `at` on. */
export function writeSha256(bytes: Uint8Array, target: Uint8Array, at: number): void {
  const text = hash('sha256', bytes, 'binary');
  for (let i = 0; i < HASH_BYTES; i++) target[at + i] = text.charCodeAt(i);
}
