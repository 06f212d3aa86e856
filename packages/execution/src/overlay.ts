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
  /** Bytes (key and value) of entries that there are now and were not before this transaction. */
  allocatedBytes(): number;
  /** Hands the writes to the block. */
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

/** A key that a transaction has touched: each is read from below once. */
interface Slot {
  readonly key: StateKey;
  readonly before: Uint8Array | undefined;
  kept: Uint8Array | undefined;
  now: Uint8Array | undefined;
}

/** Up to so many keys are compared one by one; a Map for the two of a transfer would cost more than the transfer. */
const COMPARED_MAX = 8;

function createTransactionOverlay(
  below: (key: StateKey) => Uint8Array | undefined,
  put: (entry: Entry) => void,
): TransactionOverlay {
  const slots: Slot[] = [];
  let byText: Map<string, Slot> | undefined;

  function known({ text }: StateKey): Slot | undefined {
    if (byText) return byText.get(text);
    for (let i = 0; i < slots.length; i++) if ((slots[i] as Slot).key.text === text) return slots[i];
    return undefined;
  }

  function slotOf(key: StateKey): Slot {
    const had = known(key);
    if (had) return had;
    const before = below(key);
    const slot = { key, before, kept: before, now: before };
    slots.push(slot);
    if (byText) byText.set(key.text, slot);
    else if (slots.length > COMPARED_MAX) byText = new Map(slots.map((each) => [each.key.text, each]));
    return slot;
  }

  function allocatedBytes(): number {
    let bytes = 0;
    for (const { key, before, now } of slots) {
      if (now !== undefined && before === undefined) bytes += key.bytes.length + now.length;
    }
    return bytes;
  }

  function merge(): void {
    const changed = slots.filter(({ before, now }) => !sameValue(before, now));
    if (changed.length > 1) changed.sort((a, b) => (a.key.text < b.key.text ? -1 : 1));
    for (const { key, now } of changed) put({ key, value: now });
  }

  return {
    get: (key) => slotOf(key).now,
    set(key, value) {
      slotOf(key).now = value;
    },
    undo() {
      for (const slot of slots) slot.now = slot.kept;
    },
    keep() {
      for (const slot of slots) slot.kept = slot.now;
    },
    allocatedBytes,
    merge,
  };
}

function sameValue(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : bytesEqual(a, b);
}
