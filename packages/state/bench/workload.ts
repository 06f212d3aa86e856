/** Accounts: 32-byte keys and 16-byte values. */
import { randomFillSync } from 'node:crypto';
import type { PackedBatch, Write } from '../src/index.ts';

export const KEY_BYTES = 32;
export const VALUE_BYTES = 16;

export function freshBatch(count: number): PackedBatch {
  return {
    bytes: randomFillSync(new Uint8Array(count * (KEY_BYTES + VALUE_BYTES))),
    keyBytes: new Uint8Array(count).fill(KEY_BYTES),
    valueBytes: new Int32Array(count).fill(VALUE_BYTES),
  };
}

export function writesOf({ bytes, keyBytes }: PackedBatch): { readonly key: Uint8Array; readonly value: Uint8Array }[] {
  return Array.from(keyBytes, (_, i) => {
    const at = i * (KEY_BYTES + VALUE_BYTES);
    return {
      key: bytes.subarray(at, at + KEY_BYTES),
      value: bytes.subarray(at + KEY_BYTES, at + KEY_BYTES + VALUE_BYTES),
    };
  });
}

/** Mixed, so that neighbouring numbers do not have neighbouring keys. */
export function accountKey(number: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  for (let i = 0, x = number + 1; i < KEY_BYTES; i += 4) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39) ^ number;
    key[i] = x;
    key[i + 1] = x >>> 8;
    key[i + 2] = x >>> 16;
    key[i + 3] = x >>> 24;
  }
  return key;
}

/**
 * Puts of `count` distinct accounts among the first `accounts`. Keys and values are small arrays in V8's heap, as in execution: access to
 * an array's buffer moves it outside, and V8 stops the thread to free such buffers. Those stops would count as pauses of the store.
 */
export function accountBatch(count: number, accounts: number): Write[] {
  const numbers = new Set<number>();
  while (numbers.size < count) numbers.add(Math.floor(Math.random() * accounts));
  const values = randomFillSync(new Uint8Array(count * VALUE_BYTES));
  return Array.from(numbers, (number, i) => ({
    key: accountKey(number),
    value: values.slice(i * VALUE_BYTES, (i + 1) * VALUE_BYTES),
  }));
}

/** Created lazily on each iteration. */
export function allAccounts(count: number): Iterable<Write> {
  return {
    *[Symbol.iterator]() {
      for (let i = 0; i < count; i++) yield { key: accountKey(i), value: new Uint8Array(VALUE_BYTES).fill(i) };
    },
  };
}
