/** Calls of a program on a state in memory, without realm, ticks and units. A call's writes count once it succeeds. */

import {
  ABSENT,
  type CallContext,
  type CallResult,
  type Host,
  type Program,
  type QueryResult,
  VALUE_BYTES_MAX,
} from '../src/program/index.ts';
import { createMemoryState, type MemoryState, purseOf, UndeclaredKey } from './memory-state.ts';

type MemoryCall = ReturnType<MemoryState['begin']>;

export interface MemoryChain extends Pick<MemoryState, 'setBalance' | 'balance'> {
  /** Declares keys first, as a node does, and then refuses others. */
  call(action: number, context: CallContext & { readonly sender: Uint8Array }, input: Uint8Array): CallResult;
  genesis(input: Uint8Array): CallResult;
  query(name: string, input: Uint8Array): QueryResult;
  invariants(): readonly string[];
  /** Of the last call. */
  readonly events: MemoryCall['events'];
  readonly counts: MemoryCall['counts'];
  /** By hexadecimal table and key. */
  readonly state: ReadonlyMap<string, Uint8Array>;
  /** Of the call in hand. */
  readonly host: Host;
}

export { purseOf, UndeclaredKey };

/** What a host gives for the number of a key. */
export function valueAt(host: Host, key: number): Uint8Array | undefined {
  const bytes = new Uint8Array(VALUE_BYTES_MAX);
  const length = host.get(key, bytes);
  return length === ABSENT ? undefined : bytes.slice(0, length);
}

const NO_SENDER: Uint8Array = new Uint8Array(33);

export function createMemoryChain(program: Program): MemoryChain {
  const state = createMemoryState();
  let last = state.begin(NO_SENDER);
  const host: Host = {
    key: (table, bytes, length) => last.host.key(table, bytes, length),
    get: (key, into) => last.host.get(key, into),
    put: (key, value, length) => last.host.put(key, value, length),
    emit: (event, body, length) => last.host.emit(event, body, length),
    collect: (label, amount) => last.host.collect(label, amount),
    pay: (label, to, amount) => last.host.pay(label, to, amount),
    purse: (label) => last.host.purse(label),
    sha256: (bytes) => last.host.sha256(bytes),
  };
  const begin = (sender = NO_SENDER) => {
    last = state.begin(sender);
  };
  const committed = (result: CallResult): CallResult => {
    if (result.status === 'success') last.commit();
    return result;
  };
  program.use(host);
  return {
    ...state,
    call(action, context, input) {
      begin(context.sender);
      return committed(program.call(action, context, input, () => last.closeKeys()));
    },
    genesis(input) {
      begin();
      return committed(program.genesis(input));
    },
    query(name, input) {
      begin();
      return program.query(name, input);
    },
    invariants() {
      begin();
      return program.invariants();
    },
    get events() {
      return last.events;
    },
    get counts() {
      return last.counts;
    },
    state: state.entries,
    host,
  };
}
