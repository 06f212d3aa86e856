/**
 * The hash of a credential's bytes: its name in memories, and what a session's signature binds it by.
 *
 * A credential has one form in bytes (its codec takes no other), so a decoded value has one hash. It is known by the value:
 * whoever read it from bytes has hashed them already, and serializing it again costs ten times as much.
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

/** For those who have read `credential` from bytes with this hash. */
export function noteCredentialHash(credential: Credential, hash: Uint8Array): void {
  hashes.set(credential, hash);
}
