/**
 * Credentials that are known to be true, by the hash of their bytes: asked before anything is parsed.
 *
 *   bytes --SHA-256--> known? --yes--> the credential, decoded once, checked once
 *                        \--no--> decoded --> checked by others (crypto, "session checks") --true--> keep
 *
 * A credential says the same for ever, so one that was true needs neither parsing nor checking again: 2 us instead of 100. What is
 * false never enters, so nobody can fill the memory but with sessions that a trusted chain has granted. Each thread that decodes
 * transactions has one of its own.
 */
import { sha256, toHex } from '@slipstream/primitives';
import { type Credential, credentialCodec } from './credential.ts';
import { noteCredentialHash } from './credential-hash.ts';

export interface CredentialReader {
  /** Undefined when the bytes are not the canonical form of a credential. The value has memory of its own. */
  read(bytes: Uint8Array): Credential | undefined;
}

export interface CredentialMemory extends CredentialReader {
  /** The hash of its bytes, in hexadecimal. */
  nameOf(credential: Credential): string;
  /** Whether a credential was found true before. */
  isTrue(credential: Credential): boolean;
  /** A credential was found true. */
  keep(credential: Credential): void;
  stats(): { readonly size: number; readonly hits: number; readonly misses: number };
}

/** 12,000 of a chain with four validators (1.3 kB), 900 of one with 256; decoded they take about twice as much. */
const CREDENTIAL_MEMORY_BYTES_MAX = 16 * 1024 * 1024;

/** Decodes, and remembers nothing: for those who read few transactions. */
export const CREDENTIALS_UNREMEMBERED: CredentialReader = {
  read(bytes) {
    const decoded = credentialCodec.decode(bytes);
    return decoded.ok ? decoded.value : undefined;
  },
};

interface Kept {
  readonly credential: Credential;
  readonly bytes: number;
}

export function createCredentialMemory(bytesMax = CREDENTIAL_MEMORY_BYTES_MAX): CredentialMemory {
  /** By hash, the one used longest ago first. */
  const known = new Map<string, Kept>();
  const names = new WeakMap<Credential, { readonly name: string; readonly bytes: number }>();
  let keptBytes = 0;
  let hits = 0;
  let misses = 0;

  function namedAs(credential: Credential): { readonly name: string; readonly bytes: number } {
    const given = names.get(credential);
    if (given !== undefined) return given;
    const bytes = credentialCodec.encode(credential);
    const hash = sha256(bytes);
    noteCredentialHash(credential, hash);
    const made = { name: toHex(hash), bytes: bytes.length };
    names.set(credential, made);
    return made;
  }

  function used(name: string, kept: Kept): void {
    known.delete(name);
    known.set(name, kept);
  }

  return {
    read(bytes) {
      const hash = sha256(bytes);
      const name = toHex(hash);
      const kept = known.get(name);
      if (kept !== undefined) {
        hits += 1;
        used(name, kept);
        return kept.credential;
      }
      misses += 1;
      // Of a chunk it would keep all 2 MB in memory.
      const credential = CREDENTIALS_UNREMEMBERED.read(bytes.slice());
      if (credential === undefined) return undefined;
      names.set(credential, { name, bytes: bytes.length });
      noteCredentialHash(credential, hash);
      return credential;
    },
    nameOf: (credential) => namedAs(credential).name,
    isTrue: (credential) => known.has(namedAs(credential).name),
    keep(credential) {
      const { name, bytes } = namedAs(credential);
      if (known.has(name) || bytes > bytesMax) return;
      known.set(name, { credential, bytes });
      keptBytes += bytes;
      for (const [oldest, kept] of known) {
        if (keptBytes <= bytesMax) break;
        known.delete(oldest);
        keptBytes -= kept.bytes;
      }
    },
    stats: () => ({ size: known.size, hits, misses }),
  };
}
