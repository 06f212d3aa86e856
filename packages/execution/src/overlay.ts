/**
 * Overlays: the writes of a block, and within it of a transaction, over the state before it.
 *
 *   read:   transaction -> block -> state
 *   merge:  a transaction's writes go into the block in key order, each key moving to the end; a write that changes nothing
 *           (a fee reserved and returned) is dropped
 *
 * Balances stay numbers until the block ends, because a transfer accesses its sender's balance three times. Values of registered accounts
 * stay bytes: they hold more than a balance.
 *
 * INVARIANT (state.md V1): the batch holds each key once, at its last writer: transaction order, then key order. Each write takes the
 * next place; places before an entry's last one are skipped.
 *
 * Transactions run one at a time, so all share one transaction overlay.
 */
import { bytesEqual } from '@slipstream/primitives';
import { decodeBalance, encodeBalance, isRegistered, UNREGISTERED_BYTES, withBalance } from './account-value.ts';
import type { ReadState, StateKey } from './state-keys.ts';

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

/** A state that another thread holds: keys that are wanted are fetched at once, before they are read. */
export interface FetchedEntries extends Pick<Entries, 'get'> {
  want(keys: readonly StateKey[]): void;
}

/** The state after all earlier transactions and actions. */
export interface Scratch extends Entries {
  /** `key` is that of an account. Throws ExecutionError `state-corrupt`. */
  balance(key: StateKey): bigint;
  setBalance(key: StateKey, balance: bigint): void;
}

/** Serialized, or a positive balance of an unregistered account; undefined: no entry. */
type Value = Uint8Array | bigint | undefined;

/** The block's write of a key. */
interface Entry {
  readonly key: StateKey;
  value: Value;
  /** Its last place in write order. */
  at: number;
}

export interface TransactionOverlay extends Scratch {
  /** Drops writes since the last `keep`. */
  undo(): void;
  /** Protects writes from `undo`. */
  keep(): void;
  /** Bytes of the entries (key and value) that this transaction created, and by which it made others longer. */
  allocatedBytes(): number;
  /** Adds the writes to the block. */
  merge(): void;
}

export interface BlockOverlay {
  /** Starts the next transaction; unmerged writes are dropped. */
  begin(): TransactionOverlay;
  get(key: StateKey): Uint8Array | undefined;
  /** Outside of transactions: takes the next place. */
  write(key: StateKey, value: Uint8Array): void;
  /** Merged writes of keys that begin with this byte, in write order. */
  writtenUnder(kind: number): readonly Write[];
  /** In write order, without deletions of keys that the state lacks. */
  batch(): Batch;
}

export function createBlockOverlay(read: ReadState): BlockOverlay {
  const entries = new Map<string, Entry>();
  const order: Entry[] = [];
  const transaction = createTransactionOverlay((key) => entries.get(key.text), read, put);

  function put(key: StateKey, entry: Entry | undefined, now: Value): void {
    const at = order.length;
    const written = entry ?? { key, value: now, at };
    if (entry === undefined) entries.set(key.text, written);
    written.value = now;
    written.at = at;
    order.push(written);
  }

  function get(key: StateKey): Uint8Array | undefined {
    const entry = entries.get(key.text);
    return entry ? serialized(entry.value) : read(key.bytes);
  }

  function writtenUnder(kind: number): readonly Write[] {
    const writes: Write[] = [];
    for (let at = 0; at < order.length; at++) {
      const entry = order[at] as Entry;
      if (entry.at === at && entry.key.bytes[0] === kind) writes.push(writeOf(entry));
    }
    return writes;
  }

  function batch(): Batch {
    const writes: Write[] = [];
    for (let at = 0; at < order.length; at++) {
      const entry = order[at] as Entry;
      if (entry.at !== at) continue;
      if (entry.value !== undefined || read(entry.key.bytes) !== undefined) writes.push(writeOf(entry));
    }
    return writes;
  }

  return {
    begin() {
      transaction.begin();
      return transaction;
    },
    get,
    write: (key, value) => put(key, entries.get(key.text), value),
    writtenUnder,
    batch,
  };
}

function writeOf({ key, value }: Entry): Write {
  return { key: key.bytes, value: serialized(value) };
}

/** A key that a transaction accessed, read from below once. Later transactions reuse it. */
interface Slot {
  key: StateKey;
  /** The block's entry, if any. */
  entry: Entry | undefined;
  before: Value;
  kept: Value;
  now: Value;
}

/** Up to this many keys a linear search: for the two of a transfer a Map would cost more than the transfer. */
const COMPARED_MAX = 8;

function createTransactionOverlay(
  entryOf: (key: StateKey) => Entry | undefined,
  read: ReadState,
  put: (key: StateKey, entry: Entry | undefined, now: Value) => void,
): TransactionOverlay & { begin(): void } {
  /** The first `used` belong to the current transaction. */
  const slots: Slot[] = [];
  let used = 0;
  let byText: Map<string, Slot> | undefined;

  function begin(): void {
    used = 0;
    byText = undefined;
  }

  function known({ text }: StateKey): Slot | undefined {
    if (byText) return byText.get(text);
    for (let i = 0; i < used; i++) if ((slots[i] as Slot).key.text === text) return slots[i];
    return undefined;
  }

  function slotOf(key: StateKey): Slot {
    const had = known(key);
    if (had) return had;
    const entry = entryOf(key);
    const before = entry ? entry.value : read(key.bytes);
    const slot = fill(key, entry, before);
    if (byText) byText.set(key.text, slot);
    else if (used > COMPARED_MAX) byText = new Map(slots.slice(0, used).map((each) => [each.key.text, each]));
    return slot;
  }

  function fill(key: StateKey, entry: Entry | undefined, before: Value): Slot {
    const slot = slots[used];
    used += 1;
    if (slot === undefined) {
      const made = { key, entry, before, kept: before, now: before };
      slots.push(made);
      return made;
    }
    slot.key = key;
    slot.entry = entry;
    slot.before = slot.kept = slot.now = before;
    return slot;
  }

  function allocatedBytes(): number {
    let bytes = 0;
    for (let i = 0; i < used; i++) {
      const { key, before, now } = slots[i] as Slot;
      if (now === undefined) continue;
      if (before === undefined) bytes += key.bytes.length + valueBytes(now);
      else bytes += Math.max(0, valueBytes(now) - valueBytes(before));
    }
    return bytes;
  }

  /** Two slots are swapped by hand: `sort` allocates more than the rest of a transfer. */
  function inKeyOrder(): readonly Slot[] {
    if (used > 2) return slots.slice(0, used).sort(byKey);
    const [first, second] = [slots[0] as Slot, slots[1] as Slot];
    if (used === 2 && byKey(first, second) > 0) {
      slots[0] = second;
      slots[1] = first;
    }
    return slots;
  }

  function merge(): void {
    const ordered = inKeyOrder();
    for (let i = 0; i < used; i++) {
      const slot = ordered[i] as Slot;
      if (!sameValue(slot.before, slot.now)) put(slot.key, slot.entry, slot.now);
    }
  }

  return {
    begin,
    get: (key) => serialized(slotOf(key).now),
    set(key, value) {
      slotOf(key).now = value;
    },
    balance: (key) => balanceOf(slotOf(key)),
    setBalance(key, balance) {
      const slot = slotOf(key);
      slot.now = rebalanced(slot.now, balance);
    },
    undo() {
      for (let i = 0; i < used; i++) (slots[i] as Slot).now = (slots[i] as Slot).kept;
    },
    keep() {
      for (let i = 0; i < used; i++) (slots[i] as Slot).kept = (slots[i] as Slot).now;
    },
    allocatedBytes,
    merge,
  };
}

function byKey(a: Slot, b: Slot): number {
  return a.key.text < b.key.text ? -1 : 1;
}

/** Caches the decoded number in the slot, because `merge` compares it again. */
function balanceOf(slot: Slot): bigint {
  const { now } = slot;
  if (typeof now === 'bigint') return now;
  const balance = decodeBalance(now);
  if (now !== undefined && isRegistered(now)) return balance;
  if (now !== undefined && now === slot.before && now === slot.kept) slot.before = slot.kept = slot.now = balance;
  return balance;
}

/** Registration outlives the balance. */
function rebalanced(value: Value, balance: bigint): Value {
  if (value !== undefined && typeof value !== 'bigint' && isRegistered(value)) return withBalance(value, balance);
  return balance === 0n ? undefined : balance;
}

function valueBytes(value: Uint8Array | bigint): number {
  return typeof value === 'bigint' ? UNREGISTERED_BYTES : value.length;
}

function serialized(value: Value): Uint8Array | undefined {
  return typeof value === 'bigint' ? encodeBalance(value) : value;
}

function sameValue(a: Value, b: Value): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (typeof a !== 'bigint' && typeof b !== 'bigint') return bytesEqual(a, b);
  return valueBytes(a) === valueBytes(b) && balanceIn(a) === balanceIn(b);
}

function balanceIn(value: Uint8Array | bigint): bigint {
  return typeof value === 'bigint' ? value : decodeBalance(value);
}
