/**
 * The hash of a credential's bytes: its key in caches, and the binding in a session's signature. Only canonical bytes decode, so a value
 * has one hash; cached, because serializing is slow.
 */
import { sha256 } from '@slipstream/primitives';
import { type Credential, credentialCodec } from './credential.ts';

const hashes = new WeakMap<Credential, Uint8Array>();

export function credentialHashOf(credential: Credential): Uint8Array {
  const known = hashes.get(credential);
  if (known !== undefined) return known;
  const hash = sha256(credentialCodec.encode(credential));
  hashes.set(credential, hash);
  return hash;
}

/** For readers that have hashed the bytes. */
export function cacheCredentialHash(credential: Credential, hash: Uint8Array): void {
  hashes.set(credential, hash);
}
