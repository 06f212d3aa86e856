/**
 * A node's side of one application, in memory: its entries, native balances, and the host of a call.
 *
 * A call sees its own writes at once; they count once it is committed.
 */

import { concatBytes, sha256, toHex } from '@slipstream/primitives';
import { ABSENT, COIN_TABLE, type Host } from '../src/program/index.ts';

export interface Emitted {
  readonly event: number;
  readonly body: Uint8Array;
}

/** What a call used; coins that move count as entries. */
export interface Counts {
  /** Values read. */
  readonly reads: number;
  /** Values put or deleted. */
  readonly writes: number;
  /** Of values put and of events. */
  readonly bytes: number;
}

export interface MemoryCall {
  readonly host: Host;
  /** By `keyText`; undefined where the entry is deleted. */
  readonly writes: ReadonlyMap<string, Uint8Array | undefined>;
  readonly events: readonly Emitted[];
  readonly counts: Counts;
  /** From here on the host throws `UndeclaredKey` for keys that it was not asked for before. */
  closeKeys(): void;
  commit(): void;
}

export interface MemoryState {
  /** By `keyText`. Native balances too, in the table `COIN_TABLE`. */
  readonly entries: ReadonlyMap<string, Uint8Array>;
  /** @param sender 33 bytes */
  begin(sender: Uint8Array): MemoryCall;
  balance(account: Uint8Array): bigint;
  setBalance(account: Uint8Array, amount: bigint): void;
}

/** A call touched a key that it had not declared. */
export class UndeclaredKey extends Error {}

/** Hexadecimal digits, of the table and then of the key. */
export function keyText(table: number, key: Uint8Array): string {
  return toHex(Uint8Array.of(table)) + toHex(key);
}

/** Scheme 3. On a chain the hash is of chain and application, too. */
export function purseOf(label: Uint8Array): Uint8Array {
  return concatBytes(Uint8Array.of(3), sha256(label));
}

export function createMemoryState(): MemoryState {
  const entries = new Map<string, Uint8Array>();
  return {
    entries,
    begin: (sender) => createCall(entries, sender),
    balance: (account) => amountOf(entries.get(keyText(COIN_TABLE, account))),
    setBalance: (account, amount) => void entries.set(keyText(COIN_TABLE, account), bytesOf(amount)),
  };
}

function createCall(entries: Map<string, Uint8Array>, sender: Uint8Array): MemoryCall {
  const writes = new Map<string, Uint8Array | undefined>();
  const events: Emitted[] = [];
  const counts = { reads: 0, writes: 0, bytes: 0 };
  const numbers = new Map<string, number>();
  const keys: string[] = [];
  let isClosed = false;

  function numberOf(key: string): number {
    const known = numbers.get(key);
    if (known !== undefined) return known;
    if (isClosed) throw new UndeclaredKey(key);
    numbers.set(key, keys.length);
    return keys.push(key) - 1;
  }
  function read(key: string): Uint8Array | undefined {
    counts.reads += 1;
    return writes.has(key) ? writes.get(key) : entries.get(key);
  }
  function write(key: string, value: Uint8Array | undefined): void {
    counts.writes += 1;
    counts.bytes += value?.length ?? 0;
    writes.set(key, value);
  }
  function move(from: Uint8Array, to: Uint8Array, amount: bigint): boolean {
    const [payer, payee] = [keyText(COIN_TABLE, from), keyText(COIN_TABLE, to)];
    for (const key of [payer, payee]) numberOf(key);
    const left = amountOf(read(payer)) - amount;
    if (left < 0n) return false;
    write(payer, bytesOf(left));
    write(payee, bytesOf(amountOf(read(payee)) + amount));
    return true;
  }

  const host: Host = {
    key: (table, bytes, length) => numberOf(keyText(table, bytes.subarray(0, length))),
    get(key, into) {
      const value = read(keys[key] as string);
      if (value === undefined) return ABSENT;
      into.set(value.subarray(0, into.length));
      return value.length;
    },
    put: (key, value, length) => write(keys[key] as string, value?.slice(0, length)),
    emit(event, body, length) {
      counts.bytes += length;
      events.push({ event, body: body.slice(0, length) });
    },
    collect: (label, amount) => move(sender, purseOf(label), amount),
    pay: (label, to, amount) => move(purseOf(label), to, amount),
    purse: purseOf,
    sha256,
  };
  return {
    host,
    writes,
    events,
    counts,
    closeKeys() {
      isClosed = true;
    },
    commit() {
      for (const [key, value] of writes) {
        if (value === undefined) entries.delete(key);
        else entries.set(key, value);
      }
    },
  };
}

/** As the chain stores a balance. */
function bytesOf(amount: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, amount, true);
  return bytes;
}

function amountOf(bytes: Uint8Array | undefined): bigint {
  return bytes === undefined ? 0n : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
}
