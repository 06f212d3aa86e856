/** Accounts as the node has them: 34-byte keys, 16-byte values. */
import type { ChangeColumns } from '../src/index.ts';

export interface Put {
  readonly account: number;
  readonly round: number;
}

const KEY_BYTES = 34;
const VALUE_BYTES = 16;
const ACCOUNT = 0x61;

/** Mixed, as public keys are. */
export function accountKey(account: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES);
  const view = new DataView(key.buffer);
  key[0] = ACCOUNT;
  for (let i = 2, x = account + 1; i < KEY_BYTES; i += 4) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39) ^ account;
    view.setInt32(i, x);
  }
  return key;
}

export function accountValue({ account, round }: Put): Uint8Array {
  const value = new Uint8Array(VALUE_BYTES);
  new DataView(value.buffer).setUint32(0, round);
  new DataView(value.buffer).setUint32(4, account);
  return value;
}

export function columns(puts: readonly Put[]): ChangeColumns {
  const bytes = new Uint8Array(puts.length * (KEY_BYTES + VALUE_BYTES));
  for (const [i, put] of puts.entries()) {
    bytes.set(accountKey(put.account), i * (KEY_BYTES + VALUE_BYTES));
    bytes.set(accountValue(put), i * (KEY_BYTES + VALUE_BYTES) + KEY_BYTES);
  }
  return {
    bytes,
    keyBytes: new Uint8Array(puts.length).fill(KEY_BYTES),
    valueBytes: new Int32Array(puts.length).fill(VALUE_BYTES),
  };
}

/** As the load generator draws accounts: an exponent close to 1. */
const EXPONENT = 1.0001;
const SHIFT = 2.7;

/** Numbers below `count`, by the inverse of the continuous law. */
export function createZipf(count: number): () => number {
  const power = 1 - EXPONENT;
  const low = SHIFT ** power;
  const range = (count + SHIFT) ** power - low;
  return () => Math.min(count - 1, Math.floor((low + Math.random() * range) ** (1 / power) - SHIFT));
}
