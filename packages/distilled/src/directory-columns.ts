/**
 * The account directory in columns, and its sizes at the newest heights: what batches are judged by.
 *
 *   knownAt committed here, within the window     its size then
 *   knownAt above                                 judged now if all indices have entries already, as entries stay; else it waits
 *   knownAt below the window                      no block that comes may run the batch (Z7)
 *   knownAt within the window, below the first    not known, and no skip: other nodes know the size and may run the batch
 */
import { assert } from '@slipstream/primitives';
import { type AccountKey, BLS_UNCOMPRESSED_KEY_BYTES, ED25519_PUBLIC_KEY_BYTES } from '@slipstream/types';
import type { Batch } from './batch.ts';
import { KNOWN_AT_WINDOW } from './skip.ts';
import type { DirectoryView } from './validity.ts';

export interface RegisteredKeys {
  readonly account: AccountKey;
  /** 96 bytes, uncompressed. */
  readonly blsKey: Uint8Array;
}

type ViewOfBatch =
  | { readonly kind: 'view'; readonly directory: DirectoryView }
  | { readonly kind: 'wait' }
  | { readonly kind: 'too-old' }
  | { readonly kind: 'unknown' };

export interface DirectoryColumns {
  size(): number;
  /** Committed height; undefined: none. */
  newest(): number | undefined;
  /**
   * Heights follow one another, entries their indices. The first height is genesis, or KNOWN_AT_WINDOW below the next block; after a later
   * one, batches of blocks may be `unknown`.
   */
  commit(height: number, entries: readonly RegisteredKeys[]): void;
  viewFor(batch: Pick<Batch, 'header' | 'rows'>): ViewOfBatch;
}

const CAPACITY_AT_FIRST = 1024;

export function createDirectoryColumns(): DirectoryColumns {
  let keys = new Uint8Array(BLS_UNCOMPRESSED_KEY_BYTES * CAPACITY_AT_FIRST);
  let accounts = new Uint8Array(ED25519_PUBLIC_KEY_BYTES * CAPACITY_AT_FIRST);
  let signsAlone = new Uint8Array(CAPACITY_AT_FIRST);
  /** By height modulo the window. */
  const sizes = new Uint32Array(KNOWN_AT_WINDOW);
  let size = 0;
  let first: number | undefined;
  let newest = 0;

  function append({ account, blsKey }: RegisteredKeys): void {
    assert(blsKey.length === BLS_UNCOMPRESSED_KEY_BYTES, 'a key of the directory is uncompressed');
    if (size === signsAlone.length) {
      keys = twice(keys);
      accounts = twice(accounts);
      signsAlone = twice(signsAlone);
    }
    keys.set(blsKey, BLS_UNCOMPRESSED_KEY_BYTES * size);
    accounts.set(account.bytes, ED25519_PUBLIC_KEY_BYTES * size);
    signsAlone[size] = account.scheme === 'ed25519' ? 1 : 0;
    size++;
  }

  function accountKey(index: number): Uint8Array | undefined {
    if (index >= size || signsAlone[index] !== 1) return undefined;
    const from = ED25519_PUBLIC_KEY_BYTES * index;
    return accounts.subarray(from, from + ED25519_PUBLIC_KEY_BYTES);
  }

  const viewOf = (sizeThen: number): ViewOfBatch => ({
    kind: 'view',
    directory: { size: sizeThen, keys, accountKey },
  });

  return {
    size: () => size,
    newest: () => (first === undefined ? undefined : newest),
    commit(height, entries) {
      assert(first === undefined || height === newest + 1, 'heights of the directory follow one another');
      first ??= height;
      newest = height;
      for (const entry of entries) append(entry);
      sizes[height % KNOWN_AT_WINDOW] = size;
    },
    viewFor({ header: { knownAt }, rows }) {
      if (first === undefined || knownAt > newest) return highestOf(rows) < size ? viewOf(size) : { kind: 'wait' };
      if (knownAt <= newest - KNOWN_AT_WINDOW) return { kind: 'too-old' };
      if (knownAt < first) return { kind: 'unknown' };
      return viewOf(sizes[knownAt % KNOWN_AT_WINDOW] as number);
    },
  };
}

function highestOf({ count, senders, recipients }: Batch['rows']): number {
  // Senders ascend.
  let highest = count === 0 ? 0 : (senders[count - 1] as number);
  for (let i = 0; i < count; i++) highest = Math.max(highest, recipients[i] as number);
  return highest;
}

function twice(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const longer = new Uint8Array(2 * bytes.length);
  longer.set(bytes);
  return longer;
}
