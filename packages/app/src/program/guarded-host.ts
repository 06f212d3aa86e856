/** A host that remembers what it threw, so that its errors are never taken for the application's own. */
import type { Host, Interruption } from '../host.ts';

export interface GuardedHost extends Host {
  /** Before a call. */
  forget(): void;
  /** Throws again what the host threw since then, and an `Interruption`. Returns for other errors. */
  rethrow(error: unknown): void;
}

export function guardHost(host: Host): GuardedHost {
  let thrown: { readonly error: unknown } | undefined;
  const guarded = <A extends readonly unknown[], R>(run: (...args: A) => R) => {
    return (...args: A): R => {
      try {
        return run(...args);
      } catch (error) {
        thrown ??= { error };
        throw error;
      }
    };
  };
  return {
    key: guarded((table, bytes, length) => host.key(table, bytes, length)),
    get: guarded((key, into) => host.get(key, into)),
    put: guarded((key, value, length) => host.put(key, value, length)),
    emit: guarded((event, body, length) => host.emit(event, body, length)),
    collect: guarded((label, amount) => host.collect(label, amount)),
    pay: guarded((label, to, amount) => host.pay(label, to, amount)),
    purse: guarded((label) => host.purse(label)),
    sha256: guarded((bytes) => host.sha256(bytes)),
    forget() {
      thrown = undefined;
    },
    rethrow(error) {
      if (thrown !== undefined) throw thrown.error;
      if (isInterruption(error)) throw error;
    },
  };
}

function isInterruption(error: unknown): error is Interruption {
  return typeof error === 'object' && error !== null && 'interrupts' in error && error.interrupts === true;
}
