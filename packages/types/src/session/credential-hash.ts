/**
 * The hash of a credential's bytes: its key in caches, and the binding in a session's signature.
 *
 * The codec accepts only canonical bytes, so a decoded value has one hash. It is cached by value, because serializing again is slow and a
 * reader has hashed the bytes already.
 */
import { sha256 } from '@slipstream/primitives';
import { type Credential, credentialCodec } from './credential.ts';

const hashes = new WeakMap<Credential, Uint8Array>();

/** SHA-256. */
export function credentialHashOf(credential: Credential): Uint8Array {
  const known = hashes.get(credential);
  if (known !== undefined) return known;
  const hash = sha256(credentialCodec.encode(credential));
  hashes.set(credential, hash);
  return hash;
}

/** For readers that decoded `credential` from bytes with this hash. */
export function noteCredentialHash(credential: Credential, hash: Uint8Array): void {
  hashes.set(credential, hash);
}
