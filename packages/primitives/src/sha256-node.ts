import { hash } from 'node:crypto';

const HASH_BYTES = 32;

/**
 * SHA-256 in one call, 0.3 us for 64 bytes. The digest comes as a string of 32 characters below 256: Node makes one in a third of the
 * time that an array takes, whose memory lies outside of V8's heap.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const digest = new Uint8Array(HASH_BYTES);
  writeSha256(bytes, digest, 0);
  return digest;
}

/** The same at a place of an array. */
export function writeSha256(bytes: Uint8Array, target: Uint8Array, at: number): void {
  const text = hash('sha256', bytes, 'binary');
  for (let i = 0; i < HASH_BYTES; i++) target[at + i] = text.charCodeAt(i);
}
