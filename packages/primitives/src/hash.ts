/**
 * SHA-256, with a domain prefix for everything signed or named: a short ASCII name with its length, so that no domain is another's prefix.
 */
import { hashPairs } from '#hash-pairs';
import { sha256, writeSha256 } from '#sha256';
import { concatBytes, utf8 } from './bytes.ts';

export type { HashPairs } from './hash-pairs-portable.ts';
export { hashPairs, sha256, writeSha256 };

export const HASH_BYTES = 32;

/** One length byte, then the name. */
export function domainPrefix(name: string): Uint8Array {
  const text = utf8(name);
  return concatBytes(new Uint8Array([text.length]), text);
}

/** SHA-256(domain || part || part ...). Every part must have a fixed length or include its length. */
export function hashInDomain(prefix: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  return hashOfParts(prefix, ...parts);
}

/** Joins small inputs: a new array above 64 bytes costs more than its hash. */
const scratch = new Uint8Array(4096);

/** SHA-256(part || part ...). */
export function hashOfParts(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  if (length > scratch.length) return sha256(concatBytes(...parts));
  let at = 0;
  for (const part of parts) {
    scratch.set(part, at);
    at += part.length;
  }
  return sha256(scratch.subarray(0, length));
}
