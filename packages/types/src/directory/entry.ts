/** Account directory: a short index for an account and a BLS key. Indices count from 0, are never reused, and entries never change. */
import { uint32le } from '@slipstream/primitives';
import { type AccountKey, accountKeyBytes, accountKeyFromWire } from '../account.ts';
import { BLS_UNCOMPRESSED_KEY_BYTES, ED25519_PUBLIC_KEY_BYTES } from '../limits.ts';

export interface DirectoryEntry {
  readonly account: AccountKey;
  /** 96 bytes: a point of G1, uncompressed. Its owner proved possession. */
  readonly blsKey: Uint8Array;
}

/** As of one state. */
export interface Directory {
  /** Number of entries. */
  readonly size: number;
  /** Undefined from `size` on. */
  entry(index: number): DirectoryEntry | undefined;
}

const ACCOUNT_BYTES = 1 + ED25519_PUBLIC_KEY_BYTES;
export const DIRECTORY_ENTRY_BYTES = ACCOUNT_BYTES + BLS_UNCOMPRESSED_KEY_BYTES;

/** Account (scheme and 32 bytes), key. */
export function encodeDirectoryEntry({ account, blsKey }: DirectoryEntry): Uint8Array {
  const bytes = new Uint8Array(DIRECTORY_ENTRY_BYTES);
  bytes.set(accountKeyBytes(account));
  bytes.set(blsKey, ACCOUNT_BYTES);
  return bytes;
}

/** Copies. Throws RangeError. */
export function decodeDirectoryEntry(bytes: Uint8Array): DirectoryEntry {
  if (bytes.length !== DIRECTORY_ENTRY_BYTES) {
    throw new RangeError(`a directory entry has ${DIRECTORY_ENTRY_BYTES} bytes, not ${bytes.length}`);
  }
  const account = accountKeyFromWire({ scheme: bytes[0] as number, bytes: bytes.slice(1, ACCOUNT_BYTES) });
  return { account, blsKey: bytes.slice(ACCOUNT_BYTES) };
}

/** Leaf of the directory's tree: it names its index, so a path cannot be read as another entry's. */
export function directoryLeaf(index: number, entry: DirectoryEntry): Uint8Array {
  const leaf = new Uint8Array(4 + DIRECTORY_ENTRY_BYTES);
  leaf.set(uint32le(index));
  leaf.set(encodeDirectoryEntry(entry), 4);
  return leaf;
}
