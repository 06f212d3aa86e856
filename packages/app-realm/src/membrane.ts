/** The node's side of the bridge: a host whose errors wait here until the script has returned, and whose bytes are copied both ways. */
import { types } from 'node:util';
import type { Host } from '@slipstream/app/program';
import type { NodeFunctions } from './bridge.ts';
import { RealmError } from './errors.ts';

export interface Membrane {
  readonly functions: NodeFunctions;
  use(host: Host): void;
  /** Called after the next declaration. */
  onDeclared(declared: () => void): void;
  /** What the host threw since the last call of this function; no function of the host ran after it. */
  takeError(): { readonly error: unknown } | undefined;
}

/** @param copyIn makes bytes of the realm */
export function createMembrane(copyIn: (bytes: Uint8Array) => Uint8Array): Membrane {
  let host: Host | undefined;
  let declared = (): void => {};
  const lent = createLending();
  let thrown: { readonly error: unknown } | undefined;

  function ask<T>(question: (host: Host) => T): T | null {
    if (thrown !== undefined) return null;
    try {
      if (host === undefined)
        throw new RealmError('host-misused', 'no host is in use: call `use` before a program runs');
      return question(host);
    } catch (error) {
      thrown = { error };
      return null;
    }
  }

  const functions: NodeFunctions = {
    key: (table, bytes, length) => ask((to) => to.key(whole(table), lent(bytes, length), length)),
    get: (key, into) => ask((to) => to.get(whole(key), lent(into, 0))),
    put: (key, value, length) =>
      ask((to) => {
        to.put(whole(key), value === undefined ? undefined : lent(value, length), length);
        return true as const;
      }),
    emit: (event, body, length) =>
      ask((to) => {
        to.emit(whole(event), lent(body, length), length);
        return true as const;
      }),
    collect: (label, amount) => ask((to) => to.collect(copyOut(label), coins(amount))),
    pay: (label, account, amount) => ask((to) => to.pay(copyOut(label), copyOut(account), coins(amount))),
    purse: (label) => ask((to) => copyIn(to.purse(copyOut(label)))),
    sha256: (bytes) => ask((to) => copyIn(to.sha256(copyOut(bytes)))),
    declared: () =>
      ask(() => {
        declared();
        return true as const;
      }),
  };
  return {
    functions,
    use: (next) => {
      host = next;
    },
    onDeclared: (next) => {
      declared = next;
    },
    takeError() {
      const taken = thrown;
      thrown = undefined;
      return taken;
    },
  };
}

/** A getter of the node's, since a script may have given its array properties of its own. */
const ofArray = (name: string) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name)?.get;
const [bufferOf, offsetOf, lengthOf] = ['buffer', 'byteOffset', 'length'].map(ofArray);

/**
 * The realm's bytes in an array of the node, until the host returns, which keeps nothing of it. No function of the realm's array is called: one
 * of a script's would be handed objects of the node. Made once for the kit's memory.
 */
function createLending(): (bytes: unknown, length: unknown) => Uint8Array {
  let of: unknown;
  let view = new Uint8Array(0);
  return (bytes, length) => {
    if (bytes !== of) {
      if (!types.isUint8Array(bytes)) throw misused('bytes');
      view = new Uint8Array(bufferOf?.call(bytes), offsetOf?.call(bytes), lengthOf?.call(bytes));
      of = bytes;
    }
    if (whole(length) < 0 || whole(length) > view.length) throw misused('a length of bytes');
    return view;
  };
}

/** A script may change its array later, and a host may keep what it gets. */
export function copyOut(bytes: unknown): Uint8Array {
  if (!types.isUint8Array(bytes)) throw misused('bytes');
  return new Uint8Array(bytes);
}

function whole(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw misused('a whole number');
  return value as number;
}

function coins(value: unknown): bigint {
  if (typeof value !== 'bigint') throw misused('a bigint');
  return value;
}

function misused(expected: string): RealmError {
  return new RealmError('host-misused', `the script gave its host something else than ${expected}; build it again`);
}
