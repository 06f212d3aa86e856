/**
 * Overlays: the writes of a block, and within it of a transaction, over the state before it.
 *
 *   read:   transaction -> block -> state
 *   merge:  a transaction's writes go into the block in key order, each key moving to the end; a write that changes nothing
 *           (a fee reserved and returned) is dropped
 *
 * What the block knows of a key stands in columns by the key's number (block-keys.ts), and its batch leaves in columns: an object for each
 * key, and its hexadecimal form, cost more than the transfer that names it. Balances stay numbers until the block ends, because a transfer
 * accesses its sender's balance three times. Values of registered accounts stay bytes: they hold more than a balance.
 *
 * INVARIANT (state.md V1): the batch holds each key once, at its last writer: transaction order, then key order. Each write takes the
 * next place; places before a key's last one are skipped.
 *
 * Transactions run one at a time, so all share one transaction overlay.
 */
import { assert } from '@slipstream/primitives';
import { REGISTERED_BYTES, UNREGISTERED_BYTES } from '@slipstream/types';
import { decodeBalance, decodeUnregistered, isRegistered } from './account-value.ts';
import type { BlockKeys } from './block-keys.ts';
import { encodeValue, rebalanced, sameValue, serialized, type Value, valueBytes } from './overlay-value.ts';
import {
  ABSENT,
  ACCOUNT_KEY_BYTES,
  type CopyState,
  fillKey,
  type KeyParts,
  type ReadState,
  type StateKey,
} from './state-keys.ts';
import { DELETES, type Write, type WriteColumns } from './write-columns.ts';

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
  /** Of the key in this block. */
  numberOf(key: KeyParts): number;
  get(key: StateKey): Uint8Array | undefined;
  /** It still has the value from before the block, also in the transaction. */
  isUnwritten(key: KeyParts): boolean;
  /** Copies what fits of an account's value, and returns its length, or ABSENT. `number` is that of the key. */
  copyAt(number: number, key: KeyParts, into: Uint8Array): number;
  /** Outside of transactions: takes the next place. The value of this number was read before. */
  writeAt(number: number, value: Uint8Array): void;
  /** Merged writes of keys that begin with this byte, in write order. */
  writtenUnder(kind: number): readonly Write[];
  /** In write order, without deletions of keys that the state lacks. */
  batch(): WriteColumns;
}

/** Longer values are read again by the next transaction, so that a block does not retain all that it looks at. */
const RETAINED_BYTES_MAX = 64;

const NOWHERE = -1;

/** Before the block. */
interface BlockState {
  readonly read: ReadState;
  readonly copy: CopyState;
}

/** Has no keys at first. */
export function createBlockOverlay({ read, copy }: BlockState, keys: BlockKeys): BlockOverlay {
  assert(keys.count === 0, 'a block begins without keys');
  /** By number: the value, UNREAD, or what the state has; whether the state has one; the last place in `order`, or NOWHERE. */
  const values: (Value | typeof UNREAD)[] = [];
  const isInState: boolean[] = [];
  const places: number[] = [];
  /** Numbers of the keys in the order of writes. */
  const order: number[] = [];
  const accountKey = new Uint8Array(ACCOUNT_KEY_BYTES);
  const accountValue = new Uint8Array(REGISTERED_BYTES);
  const transaction = createTransactionOverlay(keys, readOrKnown, put);

  function readOrKnown(number: number, key: KeyParts): Value {
    const known = number < values.length ? values[number] : UNREAD;
    if (known !== UNREAD) return known;
    extendTo(number);
    const value = key.head === 0 ? read(key.rest) : readAccount(key);
    isInState[number] = value !== undefined;
    const isRetained = value === undefined || typeof value === 'bigint' || value.length <= RETAINED_BYTES_MAX;
    if (isRetained) values[number] = value;
    return value;
  }

  /** Of the keys only those of accounts have a head. */
  function readAccount(key: KeyParts): Value {
    fillKey(key, accountKey);
    const length = copy(accountKey, accountValue);
    if (length === ABSENT) return undefined;
    if (length === UNREGISTERED_BYTES) return decodeUnregistered(accountValue);
    return length === REGISTERED_BYTES ? accountValue.slice() : read(accountKey);
  }

  /** What the state has is not retained: rows keep it in columns of their own. */
  function copyAt(number: number, key: KeyParts, into: Uint8Array): number {
    extendTo(number);
    const known = values[number];
    if (known === UNREAD) {
      fillKey(key, accountKey);
      const length = copy(accountKey, into);
      isInState[number] = length !== ABSENT;
      return length;
    }
    const value = serialized(known);
    if (value === undefined) return ABSENT;
    into.set(value.subarray(0, into.length));
    return value.length;
  }

  function extendTo(number: number): void {
    while (values.length <= number) {
      values.push(UNREAD);
      isInState.push(false);
      places.push(NOWHERE);
    }
  }

  function put(number: number, now: Value): void {
    extendTo(number);
    values[number] = now;
    places[number] = order.length;
    order.push(number);
  }

  function writtenUnder(kind: number): readonly Write[] {
    const writes: Write[] = [];
    for (let at = 0; at < order.length; at++) {
      const number = order[at] as number;
      if (keys.kindOf(number) !== kind || places[number] !== at) continue;
      const key = new Uint8Array(keys.bytesOf(number));
      keys.copy(number, key, 0);
      writes.push({ key, value: serialized(values[number] as Value) });
    }
    return writes;
  }

  /** A key that was written and is absent now was read before. */
  function batch(): WriteColumns {
    const written = order.filter(
      (number, at) => places[number] === at && (values[number] !== undefined || isInState[number] === true),
    );
    const keyBytes = new Uint8Array(written.length);
    const valueLengths = new Int32Array(written.length);
    let total = 0;
    for (let i = 0; i < written.length; i++) {
      const number = written[i] as number;
      const value = values[number] as Value;
      keyBytes[i] = keys.bytesOf(number);
      valueLengths[i] = value === undefined ? DELETES : valueBytes(value);
      total += (keyBytes[i] as number) + Math.max(0, valueLengths[i] as number);
    }
    const bytes = new Uint8Array(total);
    const view = new DataView(bytes.buffer);
    let at = 0;
    for (let i = 0; i < written.length; i++) {
      const number = written[i] as number;
      at = keys.copy(number, bytes, at);
      at = encodeValue(values[number] as Value, bytes, view, at);
    }
    return { bytes, keyBytes, valueBytes: valueLengths };
  }

  return {
    begin() {
      transaction.begin();
      return transaction;
    },
    numberOf: transaction.numberOf,
    get: (key) => serialized(readOrKnown(keys.numberOf(key), key)),
    isUnwritten(key) {
      const number = transaction.numberOf(key);
      return (places[number] ?? NOWHERE) === NOWHERE && !transaction.isWritten(number);
    },
    copyAt,
    writeAt: put,
    writtenUnder,
    batch,
  };
}

const UNREAD = Symbol('unread');

/** A key that a transaction accessed, read from below once. Later transactions reuse it. */
interface Slot {
  key: StateKey;
  number: number;
  before: Value;
  kept: Value;
  now: Value;
}

/** Up to this many keys a linear search: for the two of a transfer a Map would cost more than the transfer. */
const COMPARED_MAX = 8;

function createTransactionOverlay(
  keys: BlockKeys,
  read: (number: number, key: KeyParts) => Value,
  put: (number: number, now: Value) => void,
): TransactionOverlay & { begin(): void; numberOf(key: KeyParts): number; isWritten(number: number): boolean } {
  /** The first `used` belong to the current transaction. */
  const slots: Slot[] = [];
  let used = 0;
  let byNumber: Map<number, Slot> | undefined;

  function begin(): void {
    used = 0;
    byNumber = undefined;
  }

  /** A plan names a key by one object: most look-ups need no hash. */
  function held(key: KeyParts): Slot | undefined {
    const compared = Math.min(used, COMPARED_MAX);
    for (let i = 0; i < compared; i++) if ((slots[i] as Slot).key === key) return slots[i];
    return undefined;
  }

  function known(number: number): Slot | undefined {
    if (byNumber) return byNumber.get(number);
    for (let i = 0; i < used; i++) if ((slots[i] as Slot).number === number) return slots[i];
    return undefined;
  }

  function slotOf(key: StateKey): Slot {
    const same = held(key);
    if (same) return same;
    const number = keys.numberOf(key);
    const had = known(number);
    if (had) return had;
    const slot = fill(key, number, read(number, key));
    if (byNumber) byNumber.set(number, slot);
    else if (used > COMPARED_MAX) byNumber = new Map(slots.slice(0, used).map((each) => [each.number, each]));
    return slot;
  }

  function fill(key: StateKey, number: number, before: Value): Slot {
    const slot = slots[used];
    used += 1;
    if (slot === undefined) {
      const made = { key, number, before, kept: before, now: before };
      slots.push(made);
      return made;
    }
    slot.key = key;
    slot.number = number;
    slot.before = slot.kept = slot.now = before;
    return slot;
  }

  function allocatedBytes(): number {
    let bytes = 0;
    for (let i = 0; i < used; i++) {
      const { number, before, now } = slots[i] as Slot;
      if (now === undefined) continue;
      if (before === undefined) bytes += keys.bytesOf(number) + valueBytes(now);
      else bytes += Math.max(0, valueBytes(now) - valueBytes(before));
    }
    return bytes;
  }

  /** Two slots are swapped by hand: `sort` allocates more than the rest of a transfer. */
  function inKeyOrder(): readonly Slot[] {
    if (used > 2) return slots.slice(0, used).sort((a, b) => keys.compare(a.number, b.number));
    const [first, second] = [slots[0] as Slot, slots[1] as Slot];
    if (used === 2 && keys.compare(first.number, second.number) > 0) {
      slots[0] = second;
      slots[1] = first;
    }
    return slots;
  }

  function merge(): void {
    const ordered = inKeyOrder();
    for (let i = 0; i < used; i++) {
      const slot = ordered[i] as Slot;
      if (!sameValue(slot.before, slot.now)) put(slot.number, slot.now);
    }
  }

  return {
    begin,
    numberOf: (key) => held(key)?.number ?? keys.numberOf(key),
    isWritten(number) {
      const slot = known(number);
      return slot !== undefined && !sameValue(slot.before, slot.now);
    },
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

/** Caches the decoded number in the slot, because `merge` compares it again. */
function balanceOf(slot: Slot): bigint {
  const { now } = slot;
  if (typeof now === 'bigint') return now;
  const balance = decodeBalance(now);
  if (now !== undefined && isRegistered(now)) return balance;
  if (now !== undefined && now === slot.before && now === slot.kept) slot.before = slot.kept = slot.now = balance;
  return balance;
}
