/**
 * Verified credentials by their bytes, looked up before parsing.
 *
 *   bytes --part of the session key--> equal to those kept? --yes--> the credential, decoded once, checked once
 *                                        \--no--SHA-256--> known? --yes--> the same
 *                                                            \--no--> decoded --> checked by others (crypto, "authority checks") --true--> keep
 *
 * To compare all bytes takes a tenth of hashing them. A grant for the session key of another only makes the look-ups of that one hash.
 *
 * A verified credential stays true. False ones never enter, so only sessions of trusted chains fill the memory. One for each decoding
 * thread.
 */
import { longBytesEqual, sha256, toHex } from '@slipstream/primitives';
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
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Part of its session key. */
  readonly part: number;
  /** Since it was last the oldest: it then becomes the youngest, instead of being dropped. */
  isUsed: boolean;
  isRetained: boolean;
}

/** Of the session key, in a canonical credential: behind the container's fixed fields, three ids and the offset of the service's name. */
const SESSION_KEY_AT = 20 + 3 * 32 + 4;
const NO_PART = -1;

function partOf(bytes: Uint8Array): number {
  if (bytes.length < SESSION_KEY_AT + 4) return NO_PART;
  const [a, b, c, d] = [0, 1, 2, 3].map((at) => bytes[SESSION_KEY_AT + at]) as [number, number, number, number];
  return a | (b << 8) | (c << 16) | (d << 24);
}

export function createCredentialMemory(bytesMax = CREDENTIAL_MEMORY_BYTES_MAX): CredentialMemory {
  /** By hash, oldest first. */
  const known = new Map<string, Entry>();
  /** Of several with one part the first. */
  const byPart = new Map<number, Entry>();
  const entries = new WeakMap<Credential, Entry>();
  let retainedBytes = 0;
  let hits = 0;
  let misses = 0;

  function entryOf(credential: Credential): Entry {
    const given = entries.get(credential);
    if (given !== undefined) return given;
    const bytes = credentialCodec.encode(credential);
    return made(credential, bytes, sha256(bytes));
  }

  function made(credential: Credential, bytes: Uint8Array, hash: Uint8Array): Entry {
    cacheCredentialHash(credential, hash);
    const entry = { credential, name: toHex(hash), bytes, part: partOf(bytes), isUsed: false, isRetained: false };
    entries.set(credential, entry);
    return entry;
  }

  function found(bytes: Uint8Array): Entry | undefined {
    const likely = byPart.get(partOf(bytes));
    return likely !== undefined && longBytesEqual(likely.bytes, bytes) ? likely : undefined;
  }

  function used(entry: Entry): Credential {
    hits += 1;
    entry.isUsed = true;
    return entry.credential;
  }

  /** Each but one that gets a second chance was used before, so uses pay for these steps. */
  function shrinkBut(newest: Entry): void {
    for (const [name, entry] of known) {
      if (retainedBytes <= bytesMax) return;
      known.delete(name);
      if (entry.isUsed || entry === newest) {
        entry.isUsed = false;
        known.set(name, entry);
        continue;
      }
      entry.isRetained = false;
      if (byPart.get(entry.part) === entry) byPart.delete(entry.part);
      retainedBytes -= entry.bytes.length;
    }
  }

  return {
    read(bytes) {
      const likely = found(bytes);
      if (likely !== undefined) return used(likely);
      const hash = sha256(bytes);
      const entry = known.get(toHex(hash));
      if (entry !== undefined) return used(entry);
      misses += 1;
      // A view would retain the whole chunk (up to 2 MB).
      const own = bytes.slice();
      const credential = UNCACHED_CREDENTIALS.read(own);
      if (credential === undefined) return undefined;
      made(credential, own, hash);
      return credential;
    },
    nameOf: (credential) => entryOf(credential).name,
    isTrue(credential) {
      const { isRetained, name } = entryOf(credential);
      return isRetained || known.has(name);
    },
    keep(credential) {
      const entry = entryOf(credential);
      const { name, part, bytes } = entry;
      if (known.has(name) || bytes.length > bytesMax) return;
      known.set(name, entry);
      if (!byPart.has(part)) byPart.set(part, entry);
      entry.isRetained = true;
      retainedBytes += bytes.length;
      shrinkBut(entry);
    },
    stats: () => ({ size: known.size, hits, misses }),
  };
}
