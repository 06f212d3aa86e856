import { compareBytes, sha256 } from '@slipstream/primitives';
import { describe, expect, it } from 'vitest';
import {
  accountStateKey,
  decodeBalance,
  encodeBalance,
  generatedAccount,
  generatedSecret,
  genesisBatch,
  readBalance,
} from '../src/index.ts';
import { account, chain, genesis } from './builders.ts';

const ACCOUNT = 0x61;
const isAccount = ({ key }: { readonly key: Uint8Array }) => key[0] === ACCOUNT;
const publicKeyOf = (secret: Uint8Array) => sha256(secret);

describe('genesis state', () => {
  it('holds each allocation once, summed, in key order, and no empty account', () => {
    const start = genesis({ 3: 5n, 1: 7n, 2: 0n });
    const listedTwice = { ...start, allocations: [...start.allocations, { account: account(3), balance: 6n }] };
    const batch = genesisBatch(listedTwice, publicKeyOf);
    const accounts = batch.filter(isAccount);
    expect(accounts.map(({ value }) => decodeBalance(value))).toEqual([7n, 11n]);
    const keys = batch.map(({ key }) => key);
    expect([...keys].sort(compareBytes)).toEqual(keys);
  });

  it('funds generated accounts whose keys follow from seed and index', () => {
    const seed = new Uint8Array(32).fill(9);
    const batch = genesisBatch({ ...genesis({}), generated: { seed, count: 3, balance: 4n } }, publicKeyOf);
    expect(batch.filter(isAccount)).toHaveLength(3);
    const read = (key: Uint8Array) => batch.find((write) => compareBytes(write.key, key) === 0)?.value;
    for (const index of [0, 1, 2]) expect(readBalance(read, generatedAccount(seed, index, publicKeyOf))).toBe(4n);
    expect(generatedSecret(seed, 1)).not.toEqual(generatedSecret(seed, 2));
  });

  it('sums an allocation to a generated account, and merges both kinds in key order', () => {
    const seed = new Uint8Array(32).fill(9);
    const both = generatedAccount(seed, 7, publicKeyOf);
    const allocations = [account(1), both, account(200)].map((owner) => ({ account: owner, balance: 5n }));
    const start = { ...genesis({}), allocations, generated: { seed, count: 300, balance: 4n } };
    const keys = genesisBatch(start, publicKeyOf).map(({ key }) => key);
    expect(keys.filter((key) => key[0] === ACCOUNT)).toHaveLength(302);
    expect([...keys].sort(compareBytes)).toEqual(keys);
    const batch = genesisBatch(start, publicKeyOf);
    const read = (key: Uint8Array) => batch.find((write) => compareBytes(write.key, key) === 0)?.value;
    expect(readBalance(read, both)).toBe(9n);
    expect(readBalance(read, generatedAccount(seed, 8, publicKeyOf))).toBe(4n);
  });

  it('orders generated accounts by their whole keys, also when the first bytes are equal', () => {
    const close = (secret: Uint8Array) => Uint8Array.from(sha256(secret), (byte, at) => (at < 31 ? 1 : byte));
    const start = { ...genesis({}), generated: { seed: new Uint8Array(32), count: 20, balance: 1n } };
    const keys = genesisBatch(start, close).map(({ key }) => key);
    expect([...keys].sort(compareBytes)).toEqual(keys);
  });

  it('rejects allocations above 64 bits in all', () => {
    expect(() => chain(genesis({ 1: 2n ** 64n - 1n, 2: 1n }))).toThrow('lower it');
    expect(chain(genesis({ 1: 2n ** 64n - 2n, 2: 1n })).supply()).toBe(2n ** 64n - 1n);
  });
});

describe('state keys', () => {
  it('have 34 bytes for an account, whose value has 16', () => {
    expect(accountStateKey(account(1)).bytes).toHaveLength(34);
    expect(encodeBalance(1n)).toHaveLength(16);
  });

  it('reject an account value that this package never writes', () => {
    const padded = new Uint8Array(16);
    padded[0] = 1;
    padded[15] = 1;
    for (const value of [new Uint8Array(8), new Uint8Array(16), padded]) expect(() => decodeBalance(value)).toThrow();
  });
});
