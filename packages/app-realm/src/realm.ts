/** A realm: a context of node:vm without code generation, locked down. 7 ms to make. */
import vm from 'node:vm';
import { lockDown } from './lock-down.ts';
import { REALM_LISTS } from './realm-lists.ts';

export interface Realm {
  /** The value of the last statement. Throws what the script throws, and SyntaxError. */
  evaluate(source: string, name: string): unknown;
  /** The bytes in another array of this realm, whose constructors lead no further than the realm. */
  copyIn(bytes: Uint8Array): Uint8Array;
}

export function createRealm(): Realm {
  // An ordinary global object: one with interceptors could not be frozen. Its name in errors of the engine is no part of any result.
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, {
    codeGeneration: { strings: false, wasm: false },
    microtaskMode: 'afterEvaluate',
  });
  const evaluate = (source: string, name: string): unknown =>
    new vm.Script(source, { filename: name }).runInContext(context);

  evaluate(`'use strict';(${lockDown})(${JSON.stringify(REALM_LISTS)})`, 'lock-down');
  const Bytes = evaluate('Uint8Array', 'bytes') as typeof Uint8Array;
  return { evaluate, copyIn: (bytes) => new Bytes(bytes) };
}
