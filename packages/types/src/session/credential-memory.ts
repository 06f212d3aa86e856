/**
 * Verified credentials by hash, looked up before parsing.
 *
 *   bytes --SHA-256--> known? --yes--> the credential, decoded once, checked once
 *                        \--no--> decoded --> checked by others (crypto, "authority checks") --true--> keep
 *
 * A verified credential stays true. False ones never enter, so only sessions of trusted chains fill the memory. One for each decoding
 * thread.
 */
import { sha256, toHex } from '@slipstream/primitives';
import { type Credential, credentialCodec } from './credential.ts';
import { cacheCredentialHash } from './credential-hash.ts';

export interface CredentialReader {
  /** Undefined: no canonical credential. Does not share the memory of `bytes`. */
  read(bytes: Uint8Array): Credential | undefined;
}

export interface CredentialMemory extends CredentialReader {
  /** Hash in hexadecimal. */
  nameOf(credential: Credential): string;
  /** Verified before. */
  isTrue(credential: Credential): boolean;
  keep(credential: Credential): void;
  stats(): { readonly size: number; readonly hits: number; readonly misses: number };
}

/** 12,000 of a chain with four validators (1.3 kB), 900 of one with 256; decoded about twice as much. */
export const CREDENTIAL_MEMORY_BYTES_MAX = 16 * 1024 * 1024;

/** Does not cache. */
export const UNCACHED_CREDENTIALS: CredentialReader = {
  read(bytes) {
    const decoded = credentialCodec.decode(bytes);
    return decoded.ok ? decoded.value : undefined;
  },
};

interface Entry {
  readonly credential: Credential;
  readonly bytes: number;
}

export function createCredentialMemory(bytesMax = CREDENTIAL_MEMORY_BYTES_MAX): CredentialMemory {
  /** By hash, least recently used first. */
  const known = new Map<string, Entry>();
  const names = new WeakMap<Credential, { readonly name: string; readonly bytes: number }>();
  let retainedBytes = 0;
  let hits = 0;
  let misses = 0;

  function namedAs(credential: Credential): { readonly name: string; readonly bytes: number } {
    const given = names.get(credential);
    if (given !== undefined) return given;
    const bytes = credentialCodec.encode(credential);
    const hash = sha256(bytes);
    cacheCredentialHash(credential, hash);
    const made = { name: toHex(hash), bytes: bytes.length };
    names.set(credential, made);
    return made;
  }

  function used(name: string, entry: Entry): void {
    known.delete(name);
    known.set(name, entry);
  }

  return {
    read(bytes) {
      const hash = sha256(bytes);
      const name = toHex(hash);
      const entry = known.get(name);
      if (entry !== undefined) {
        hits += 1;
        used(name, entry);
        return entry.credential;
      }
      misses += 1;
      // A view would retain the whole chunk (up to 2 MB).
      const credential = UNCACHED_CREDENTIALS.read(bytes.slice());
      if (credential === undefined) return undefined;
      names.set(credential, { name, bytes: bytes.length });
      cacheCredentialHash(credential, hash);
      return credential;
    },
    nameOf: (credential) => namedAs(credential).name,
    isTrue: (credential) => known.has(namedAs(credential).name),
    keep(credential) {
      const { name, bytes } = namedAs(credential);
      if (known.has(name) || bytes > bytesMax) return;
      known.set(name, { credential, bytes });
      retainedBytes += bytes;
      for (const [oldest, entry] of known) {
        if (retainedBytes <= bytesMax) break;
        known.delete(oldest);
        retainedBytes -= entry.bytes;
      }
    },
    stats: () => ({ size: known.size, hits, misses }),
  };
}
