/** A chain of one application in memory: its state, native balances, and what a call does to them. */
import { createHash } from 'node:crypto';
import { type CallContext, type CallResult, COIN_TABLE, type Host } from '@slipstream/app/program';
import {
  GENESIS_TICKS_MAX,
  type MeteredProgram,
  OutOfCompute,
  QUERY_TICKS_MAX,
  TICKS_MAX,
} from '@slipstream/app-realm';

type Entries = Map<string, Uint8Array>;

export interface Outcome {
  /** `out-of-compute` too. */
  readonly result: CallResult | { readonly status: 'out-of-compute' };
  /** Hexadecimal, by key; "" where the entry was deleted. Empty unless the call succeeded. */
  readonly writes: Readonly<Record<string, string>>;
  readonly events: readonly string[];
  readonly ticks: number;
}

export interface MemoryChain {
  call(program: MeteredProgram, action: number, context: CallContext, input: Uint8Array, ticks?: number): Outcome;
  genesis(program: MeteredProgram, input: Uint8Array): Outcome;
  query(program: MeteredProgram, name: string, input: Uint8Array): Uint8Array;
  give(account: Uint8Array, amount: bigint): void;
  balance(account: Uint8Array): bigint;
}

export function createMemoryChain(): MemoryChain {
  const state: Entries = new Map();

  function run(program: MeteredProgram, sender: Uint8Array, ticks: number, work: () => CallResult): Outcome {
    const pending: Map<string, Uint8Array | undefined> = new Map();
    const events: string[] = [];
    program.use(hostOver({ state, pending, events, sender }));
    program.setTicks(ticks);
    const result = resultOf(work);
    const used = ticks - program.ticksLeft();
    if (result.status !== 'success') return { result, writes: {}, events: [], ticks: used };
    for (const [key, value] of pending) {
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    }
    const writes = Object.fromEntries([...pending].map(([key, value]) => [key, value === undefined ? '' : hex(value)]));
    return { result, writes, events, ticks: used };
  }

  return {
    call: (program, action, context, input, ticks = TICKS_MAX) =>
      run(program, context.sender, ticks, () => {
        program.declare(action, context, input);
        return program.call(action, context, input);
      }),
    genesis: (program, input) => run(program, new Uint8Array(33), GENESIS_TICKS_MAX, () => program.genesis(input)),
    query(program, name, input) {
      program.use(hostOver({ state, pending: new Map(), events: [], sender: new Uint8Array(33) }));
      program.setTicks(QUERY_TICKS_MAX);
      const result = program.query(name, input);
      if (result.status !== 'success') throw new Error(`query ${name}: ${result.status}`);
      return result.output;
    },
    give: (account, amount) => void state.set(coinKey(account), fromAmount(amount)),
    balance: (account) => toAmount(state.get(coinKey(account))),
  };
}

function resultOf(work: () => CallResult): Outcome['result'] {
  try {
    return work();
  } catch (error) {
    if (error instanceof OutOfCompute) return { status: 'out-of-compute' };
    throw error;
  }
}

interface Overlay {
  readonly state: Entries;
  readonly pending: Map<string, Uint8Array | undefined>;
  readonly events: string[];
  readonly sender: Uint8Array;
}

function hostOver({ state, pending, events, sender }: Overlay): Host {
  const keys: string[] = [];
  const numberOf = (key: string) => (keys.includes(key) ? keys.indexOf(key) : keys.push(key) - 1);
  const read = (key: string) => (pending.has(key) ? pending.get(key) : state.get(key));
  const purse = (label: Uint8Array) => Uint8Array.of(3, ...sha256(label));
  function move(from: Uint8Array, to: Uint8Array, amount: bigint): boolean {
    const left = toAmount(read(coinKey(from))) - amount;
    if (left < 0n) return false;
    pending.set(coinKey(from), fromAmount(left));
    pending.set(coinKey(to), fromAmount(toAmount(read(coinKey(to))) + amount));
    return true;
  }
  return {
    key: (table, bytes) => numberOf(table === COIN_TABLE ? coinKey(bytes) : `${table}:${hex(bytes)}`),
    get: (key) => read(keys[key] as string),
    put: (key, value) => void pending.set(keys[key] as string, value),
    emit: (event, body) => void events.push(`${event}:${hex(body)}`),
    collect: (label, amount) => move(sender, purse(label), amount),
    pay: (label, to, amount) => move(purse(label), to, amount),
    purse,
    sha256,
  };
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const coinKey = (account: Uint8Array): string => `${COIN_TABLE}:${hex(account)}`;
const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(bytes).digest());

function fromAmount(amount: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, amount, true);
  return bytes;
}

function toAmount(bytes: Uint8Array | undefined): bigint {
  return bytes === undefined ? 0n : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
}
