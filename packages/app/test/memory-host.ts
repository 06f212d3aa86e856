/** A node's side in memory: one application's state and native balances. A call's writes count once it succeeds. */
import { createHash } from 'node:crypto';
import {
  type CallContext,
  type CallResult,
  COIN_TABLE,
  type Host,
  type Program,
  type QueryResult,
} from '../src/program/index.ts';

export interface Emitted {
  readonly event: number;
  readonly body: Uint8Array;
}

export interface Counts {
  reads: number;
  writes: number;
}

export interface MemoryChain {
  /** Declares keys first, as a node does, and then refuses others. */
  call(action: number, context: CallContext, input: Uint8Array): CallResult;
  genesis(input: Uint8Array): CallResult;
  query(name: string, input: Uint8Array): QueryResult;
  invariants(): readonly string[];
  setBalance(account: Uint8Array, amount: bigint): void;
  balance(account: Uint8Array): bigint;
  /** Of the last call. */
  readonly events: readonly Emitted[];
  readonly counts: Readonly<Counts>;
  /** By hexadecimal table and key. */
  readonly state: ReadonlyMap<string, Uint8Array>;
  readonly host: Host;
}

export class UndeclaredKey extends Error {}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
export const keyText = (table: number, bytes: Uint8Array) => `${hex(Uint8Array.of(table))}${hex(bytes)}`;
export const purseOf = (label: Uint8Array) => Uint8Array.of(3, ...sha256(label));

export function createMemoryChain(program: Program): MemoryChain {
  const state = new Map<string, Uint8Array>();
  const pending = new Map<string, Uint8Array | undefined>();
  const events: Emitted[] = [];
  const counts: Counts = { reads: 0, writes: 0 };
  let keys: string[] = [];
  let isClosed = false;
  let sender = new Uint8Array(33);

  const read = (key: string) => (pending.has(key) ? pending.get(key) : state.get(key));
  const balanceAt = (key: string) => Buffer.from(read(key) ?? new Uint8Array(8)).readBigUInt64LE();
  const setBalanceAt = (key: string, amount: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(amount);
    pending.set(key, new Uint8Array(bytes));
  };
  const intern = (key: string) => {
    if (keys.includes(key)) return keys.indexOf(key);
    if (isClosed) throw new UndeclaredKey(key);
    return keys.push(key) - 1;
  };
  const move = (from: Uint8Array, to: Uint8Array, amount: bigint) => {
    const [payer, payee] = [keyText(COIN_TABLE, from), keyText(COIN_TABLE, to)];
    intern(payer);
    intern(payee);
    if (balanceAt(payer) < amount) return false;
    setBalanceAt(payer, balanceAt(payer) - amount);
    setBalanceAt(payee, balanceAt(payee) + amount);
    return true;
  };
  const host: Host = {
    key: (table, bytes) => intern(keyText(table, bytes)),
    get(key) {
      counts.reads += 1;
      return read(keys[key] as string);
    },
    put(key, value) {
      counts.writes += 1;
      pending.set(keys[key] as string, value);
    },
    emit: (event, body) => void events.push({ event, body }),
    collect: (label, amount) => move(sender, purseOf(label), amount),
    pay: (label, to, amount) => move(purseOf(label), to, amount),
    purse: purseOf,
    sha256,
  };
  const commit = () => {
    for (const [key, value] of pending) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
  };
  const begin = () => {
    pending.clear();
    events.length = 0;
    keys = [];
    isClosed = false;
    Object.assign(counts, { reads: 0, writes: 0 });
  };
  program.use(host);
  return {
    call(action, context, input) {
      begin();
      sender = Uint8Array.from(context.sender);
      isClosed = program.declare(action, context, input);
      const result = program.call(action, context, input);
      if (result.status === 'success') commit();
      return result;
    },
    genesis(input) {
      begin();
      const result = program.genesis(input);
      if (result.status === 'success') commit();
      return result;
    },
    query(name, input) {
      begin();
      return program.query(name, input);
    },
    invariants() {
      begin();
      return program.invariants();
    },
    setBalance(account, amount) {
      begin();
      setBalanceAt(keyText(COIN_TABLE, account), amount);
      commit();
      pending.clear();
    },
    balance: (account) => Buffer.from(state.get(keyText(COIN_TABLE, account)) ?? new Uint8Array(8)).readBigUInt64LE(),
    events,
    counts,
    state,
    host,
  };
}
