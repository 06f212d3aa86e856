/**
 * Overlays: what a block, and within it a transaction, has written over the state it started from.
 *
 *   read:   transaction -> block -> state
 *   merge:  a transaction's writes go into the block in key order, each key moving to the end; a write that changes nothing
 *           (a fee reserved and returned) is none
 *
 * INVARIANT (state.md V1): the batch holds each key once, at its last writer: transaction order, then key order. A Map keeps
 * insertion order, so deleting before setting is all it takes.
 */
import { bytesEqual } from '@slipstream/primitives';
import type { ReadState, StateKey } from './state-keys.ts';

export interface Write {
  readonly key: Uint8Array;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
}

export type Batch = readonly Write[];

/** What an action sees: the state as the transactions and actions before it left it. */
export interface Scratch {
  get(key: StateKey): Uint8Array | undefined;
  set(key: StateKey, value: Uint8Array | undefined): void;
}

interface Entry {
  readonly key: StateKey;
  readonly value: Uint8Array | undefined;
}

export interface TransactionOverlay extends Scratch {
  /** Forgets every write since the last `keep`. */
  undo(): void;
  /** Makes the writes so far safe from `undo`. */
  keep(): void;
  /** Bytes (key and value) of entries that this transaction created: there was none before it. */
  allocatedBytes(): number;
  /** Hands the kept writes to the block. */
  merge(): void;
}

export interface BlockOverlay {
  begin(): TransactionOverlay;
  get(key: StateKey): Uint8Array | undefined;
  /** In write order. Deletions of keys that the state never had are left out. */
  batch(): Batch;
}

export function createBlockOverlay(read: ReadState): BlockOverlay {
  const written = new Map<string, Entry>();

  function get(key: StateKey): Uint8Array | undefined {
    const entry = written.get(key.text);
    return entry ? entry.value : read(key.bytes);
  }

  function put(entry: Entry): void {
    written.delete(entry.key.text);
    written.set(entry.key.text, entry);
  }

  function batch(): Batch {
    const writes: Write[] = [];
    for (const { key, value } of written.values()) {
      if (value === undefined && read(key.bytes) === undefined) continue;
      writes.push({ key: key.bytes, value });
    }
    return writes;
  }

  return { begin: () => createTransactionOverlay(get, put), get, batch };
}

function createTransactionOverlay(
  below: (key: StateKey) => Uint8Array | undefined,
  put: (entry: Entry) => void,
): TransactionOverlay {
  const kept = new Map<string, Entry>();
  const open = new Map<string, Entry>();

  function allocatedBytes(): number {
    let bytes = 0;
    for (const { key, value } of kept.values()) {
      if (value !== undefined && below(key) === undefined) bytes += key.bytes.length + value.length;
    }
    return bytes;
  }

  function keep(): void {
    for (const [text, entry] of open) kept.set(text, entry);
    open.clear();
  }

  return {
    get(key) {
      const entry = open.get(key.text) ?? kept.get(key.text);
      return entry ? entry.value : below(key);
    },
    set: (key, value) => void open.set(key.text, { key, value }),
    undo: () => open.clear(),
    keep,
    allocatedBytes,
    merge() {
      keep();
      const entries = [...kept.values()].sort((a, b) => (a.key.text < b.key.text ? -1 : 1));
      for (const entry of entries) if (!sameValue(below(entry.key), entry.value)) put(entry);
    },
  };
}

function sameValue(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}
