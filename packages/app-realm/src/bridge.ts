/**
 * Runs inside a realm: stands between the node and a script. Neither gets an object of the other: across the bridge go numbers, bigints,
 * text, booleans, and bytes that are of the receiver's realm.
 *
 * The realm gets the source of this function. It may use nothing from outside of itself but the language.
 */
import type { CallContext, Host, Program } from '@slipstream/app/program';

/** What a script of `app-build` evaluates to. Calling it runs the definitions. */
export type Script = () => {
  readonly program: Program;
  readonly setTicks: (ticks: number) => void;
  /** Below zero once they ran out. */
  readonly ticksLeft: () => number;
};

/** Functions of the node. They throw nothing; null: the call is to end at once. */
export interface NodeFunctions {
  key(table: number, bytes: Uint8Array, length: number): number | null;
  get(key: number, into: Uint8Array): number | null;
  put(key: number, value: Uint8Array | undefined, length: number): true | null;
  emit(event: number, body: Uint8Array, length: number): true | null;
  collect(label: Uint8Array, amount: bigint): boolean | null;
  pay(label: Uint8Array, to: Uint8Array, amount: bigint): boolean | null;
  purse(label: Uint8Array): Uint8Array | null;
  sha256(bytes: Uint8Array): Uint8Array | null;
  /** The call in hand has declared its keys. */
  declared(): true | null;
}

export interface Bridge {
  /** JSON. */
  readonly manifest: string;
  /** Of the next call: 33 and 32 bytes of the realm, which the node fills in. */
  readonly sender: Uint8Array;
  readonly transactionId: Uint8Array;
  readonly setTicks: (ticks: number) => void;
  readonly ticksLeft: () => number;
  /** Of those left, at most. */
  readonly spendTicks: (ticks: number) => void;
  readonly declare: (...call: FlatCall) => boolean;
  readonly call: (declares: boolean, ...call: FlatCall) => FlatResult;
  readonly query: (name: string, input: Uint8Array) => FlatResult;
  readonly convert: (table: number, value: Uint8Array) => FlatResult;
  readonly genesis: (input: Uint8Array) => FlatResult;
  readonly invariants: () => string;
}

/** Action, time in ms, height, input; sender and transaction id are in the bridge's arrays before. */
export type FlatCall = readonly [number, number, number, Uint8Array];

/** Of the realm: to be copied field by field. */
export interface FlatResult {
  readonly status: unknown;
  /** `code` or `message`. */
  readonly text: unknown;
  readonly output: unknown;
}

export function bridge(script: Script, node: NodeFunctions): Bridge {
  const { freeze } = Object;

  /** The kit passes it on; the node knows its own reason. */
  const interruption = freeze({ interrupts: true });

  /** A full stack throws an error of the node's realm: it does not get further than here. */
  function asked<T>(ask: () => T | null): T {
    let answer: T | null = null;
    try {
      answer = ask();
    } catch {
      throw interruption;
    }
    if (answer === null) throw interruption;
    return answer;
  }

  const host: Host = freeze({
    key: (table: number, bytes: Uint8Array, length: number) => asked(() => node.key(table, bytes, length)),
    get: (key: number, into: Uint8Array) => asked(() => node.get(key, into)),
    put: (key: number, value: Uint8Array | undefined, length: number) => void asked(() => node.put(key, value, length)),
    emit: (event: number, body: Uint8Array, length: number) => void asked(() => node.emit(event, body, length)),
    collect: (label: Uint8Array, amount: bigint) => asked(() => node.collect(label, amount)),
    pay: (label: Uint8Array, to: Uint8Array, amount: bigint) => asked(() => node.pay(label, to, amount)),
    purse: (label: Uint8Array) => asked(() => node.purse(label)),
    sha256: (bytes: Uint8Array) => asked(() => node.sha256(bytes)),
  });

  const declared = (): void => void asked(() => node.declared());
  const { program, setTicks, ticksLeft } = script();
  program.use(host);

  const [sender, transactionId] = [new Uint8Array(33), new Uint8Array(32)];
  const contextOf = (timeMs: number, height: number): CallContext => freeze({ sender, transactionId, timeMs, height });

  function flat(result: { status: string; code?: string; message?: string; output?: Uint8Array }): FlatResult {
    return { status: result.status, text: result.code ?? result.message, output: result.output };
  }

  return freeze({
    manifest: JSON.stringify(program.manifest),
    sender,
    transactionId,
    setTicks,
    ticksLeft,
    spendTicks(ticks: number) {
      const left = ticksLeft() - ticks;
      setTicks(left > 0 ? left : 0);
    },
    declare: (...[action, timeMs, height, input]: FlatCall) =>
      program.declare(action, contextOf(timeMs, height), input),
    call: (declares: boolean, ...[action, timeMs, height, input]: FlatCall) =>
      flat(program.call(action, contextOf(timeMs, height), input, declares ? declared : undefined)),
    query: (name: string, input: Uint8Array) => flat(program.query(name, input)),
    convert: (table: number, value: Uint8Array) => flat(program.convert(table, value)),
    genesis: (input: Uint8Array) => flat(program.genesis(input)),
    invariants: () => JSON.stringify(program.invariants()),
  });
}
