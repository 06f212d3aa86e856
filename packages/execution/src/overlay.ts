/**
 * Overlays: what a block, and within it a transaction, has written over the state it started from.
 *
 *   read:   transaction -> block -> state
 *   merge:  a transaction's writes go into the block in key order, each key moving to the end; a write that changes nothing
 *           (a fee reserved and returned) is none
 *
 * Balances stay numbers until the block is done: a transfer asks for and sets its sender's three times, and each time would be
 * an array made and parsed.
 *
 * INVARIANT (state.md V1): the batch holds each key once, at its last writer: transaction order, then key order. A Map keeps
 * insertion order, so deleting before setting is all it takes.
 */
import { bytesEqual } from '@slipstream/primitives';
import { ACCOUNT_VALUE_BYTES, decodeBalance, encodeBalance, type ReadState, type StateKey } from './state-keys.ts';

export interface Write {
  readonly key: Uint8Array;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
}

export type Batch = readonly Write[];

export interface Entries {
  get(key: StateKey): Uint8Array | undefined;
  set(key: StateKey, value: Uint8Array | undefined): void;
}

/** What an action sees: the state as the transactions and actions before it left it. */
export interface Scratch extends Entries {
  /** Of an account's key. Throws ExecutionError `state-corrupt`. */
  balance(key: StateKey): bigint;
  setBalance(key: StateKey, balance: bigint): void;
}

/** Serialized, or a balance above zero that is not yet; undefined: no entry. */
type Value = Uint8Array | bigint | undefined;

interface Entry {
  readonly key: StateKey;
  value: Value;
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
  /** So far, in write order, as they were merged. */
  written(): Iterable<Write>;
  /** In write order. Deletions of keys that the state never had are left out. */
  batch(): Batch;
}

export function createBlockOverlay(read: ReadState): BlockOverlay {
  const written = new Map<string, Entry>();

  function below(key: StateKey): Value {
    const entry = written.get(key.text);
    return entry ? entry.value : read(key.bytes);
  }

  function put(entry: Entry): void {
    written.delete(entry.key.text);
    written.set(entry.key.text, entry);
  }

  function* writes(): Generator<Write> {
    for (const entry of written.values()) {
      const value = serialized(entry.value);
      entry.value = value;
      yield { key: entry.key.bytes, value };
    }
  }

  function batch(): Batch {
    return [...writes()].filter(({ key, value }) => value !== undefined || read(key) !== undefined);
  }

  return {
    begin: () => createTransactionOverlay(below, put),
    get: (key) => serialized(below(key)),
    written: writes,
    batch,
  };
}

/** A key that a transaction has touched: each is read from below once. */
interface Slot {
  readonly key: StateKey;
  readonly before: Value;
  kept: Value;
  now: Value;
}

/** Up to so many keys are compared one by one; a Map for the two of a transfer would cost more than the transfer. */
const COMPARED_MAX = 8;

function createTransactionOverlay(below: (key: StateKey) => Value, put: (entry: Entry) => void): TransactionOverlay {
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
      if (now !== undefined && before === undefined)
        bytes += key.bytes.length + (typeof now === 'bigint' ? ACCOUNT_VALUE_BYTES : now.length);
    }
    return bytes;
  }

  function merge(): void {
    const changed: Slot[] = [];
    for (const slot of slots) if (!sameValue(slot.before, slot.now)) changed.push(slot);
    if (changed.length > 1) changed.sort((a, b) => (a.key.text < b.key.text ? -1 : 1));
    for (const { key, now } of changed) put({ key, value: now });
  }

  return {
    get: (key) => serialized(slotOf(key).now),
    set(key, value) {
      slotOf(key).now = value;
    },
    balance(key) {
      const { now } = slotOf(key);
      return typeof now === 'bigint' ? now : decodeBalance(now);
    },
    setBalance(key, balance) {
      slotOf(key).now = balance === 0n ? undefined : balance;
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

function serialized(value: Value): Uint8Array | undefined {
  return typeof value === 'bigint' ? encodeBalance(value) : value;
}

function sameValue(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (typeof a !== 'bigint' && typeof b !== 'bigint') return bytesEqual(a, b);
  return balanceIn(a) === balanceIn(b);
}

function balanceIn(value: Uint8Array | bigint): bigint {
  return typeof value === 'bigint' ? value : decodeBalance(value);
}
