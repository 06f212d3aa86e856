/**
 * The account directory in columns, and its sizes at the newest heights: what batches are judged by.
 *
 *   knownAt executed here, within the window      its size then
 *   knownAt above                                 judged now if all indices have entries already, as entries stay; else it waits
 *   knownAt below the window                      no block that comes may run the batch (Z7)
 *
 * The state has each entry with the height of its registration, so a node that opens or joins knows the sizes as the others do.
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
  | { readonly kind: 'too-old' };

export interface DirectoryColumns {
  size(): number;
  /** Height of the newest final block that is executed here; undefined before `load`. */
  newest(): number | undefined;
  /** Call once, before `grow`: the directory of the committed state at this height, ascending by index. */
  load(height: number, entries: Iterable<RegisteredKeys & { readonly height: number }>): void;
  /** Of the next height. */
  grow(height: number, entries: readonly RegisteredKeys[]): void;
  /** Undefined: not executed here, or below the window. */
  viewAt(height: number): DirectoryView | undefined;
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
  /** -1 before `load`. */
  let newest = -1;

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

  const viewOf = (sizeThen: number): DirectoryView => ({ size: sizeThen, keys, accountKey });

  function viewAt(height: number): DirectoryView | undefined {
    if (height > newest || height <= newest - KNOWN_AT_WINDOW) return undefined;
    return viewOf(sizes[height % KNOWN_AT_WINDOW] as number);
  }

  return {
    size: () => size,
    newest: () => (newest < 0 ? undefined : newest),
    load(height, entries) {
      assert(newest < 0, 'the directory is loaded once, before it grows');
      let at = Math.max(0, height - KNOWN_AT_WINDOW + 1);
      for (const entry of entries) {
        assert(entry.height <= height, 'a state has entries of its height at most');
        while (at < entry.height) sizes[at++ % KNOWN_AT_WINDOW] = size;
        append(entry);
      }
      while (at <= height) sizes[at++ % KNOWN_AT_WINDOW] = size;
      newest = height;
    },
    grow(height, entries) {
      assert(height === newest + 1, 'heights of the directory follow one another');
      newest = height;
      for (const entry of entries) append(entry);
      sizes[height % KNOWN_AT_WINDOW] = size;
    },
    viewFor({ header: { knownAt }, rows }) {
      if (knownAt > newest) {
        return highestOf(rows) < size ? { kind: 'view', directory: viewOf(size) } : { kind: 'wait' };
      }
      const directory = viewAt(knownAt);
      return directory === undefined ? { kind: 'too-old' } : { kind: 'view', directory };
    },
    viewAt,
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
