import { describe, expect, it } from 'vitest';
import { account, amount, application, bytes, cell, list, record, sorted, table, text, u8, u32 } from '../src/index.ts';
import { createProgram, FormError } from '../src/program/index.ts';
import { enterCall } from '../src/state/call-in-hand.ts';
import { createMemoryChain, type MemoryChain, valueAt } from './memory-host.ts';

function use<S extends Parameters<typeof application>[0]['state']>(state: S): MemoryChain {
  const chain = createMemoryChain(createProgram(application({ name: 'test', version: 1, state, actions: {} })));
  enterCall(chain.host);
  return chain;
}

describe('a table', () => {
  it('reads what was set, undefined or the empty value elsewhere', () => {
    const plain = table(u32, text(5));
    const balances = table([u32, u8], amount, { empty: 0n });
    use({ plain, balances });
    plain.set(1, 'a');
    balances.set([1, 2], 5n);
    expect([plain.get(1), plain.get(2)]).toEqual(['a', undefined]);
    expect([balances.get([1, 2]), balances.get([2, 1])]).toEqual([5n, 0n]);
    plain.delete(1);
    expect(plain.get(1)).toBeUndefined();
  });

  it('deletes the entry that is set to the empty value, also where that is an object', () => {
    const names = table(u8, list(u8, 3), { empty: [] });
    const { host } = use({ names });
    const stored = () => valueAt(host, host.key(0, Uint8Array.of(1), 1));
    names.set(1, [1, 2]);
    expect(stored()).toEqual(Uint8Array.of(1, 1, 2));
    names.set(1, []);
    expect(stored()).toBeUndefined();
    expect(names.get(1)).not.toBe(names.get(1));
  });

  it('follows a key of bytes that changed in place', () => {
    const files = table(bytes(4), u8);
    use({ files });
    const key = Uint8Array.of(1);
    files.set(key, 7);
    key[0] = 2;
    expect(files.get(key)).toBeUndefined();
  });

  it('asks the host once for a key that it was asked for before', () => {
    const counters = table(u32, u8, { empty: 0 });
    const { host } = use({ counters });
    let asked = 0;
    const counting = {
      ...host,
      key(number: number, key: Uint8Array, length: number) {
        asked += 1;
        return host.key(number, key, length);
      },
    };
    enterCall(counting);
    for (let i = 0; i < 5; i++) counters.set(3, counters.get(3) + 1);
    expect([counters.get(3), asked]).toEqual([5, 1]);
    for (let i = 0; i < 20; i++) counters.set(i, 1);
    expect([counters.get(3), counters.get(19)]).toEqual([1, 1]);
    enterCall(counting);
    asked = 0;
    counters.get(19);
    expect(asked).toBe(1);
  });

  it('is refused without an application, or in two places of one', () => {
    const lonely = table(u8, u8);
    const twice = table(u8, u8);
    use({ other: table(u8, u8) });
    expect(() => lonely.get(1)).toThrow('missing in the state of its application');
    expect(() => use({ a: twice, b: twice })).toThrow('a table of number 0 cannot be number 1, too');
  });
});

describe('versions of values', () => {
  const old = record({ owner: text(5), count: u8 });
  const middle = record({ owner: text(5), total: u32 });
  const now = record({ owner: text(5), total: amount });

  it('are converted as they are read, and written in the current form', () => {
    const first = table(u8, old);
    const chain = use({ first });
    first.set(1, { owner: 'a', count: 3 });
    const second = table(u8, middle, {
      version: 2,
      from: { 1: [old, ({ owner, count }) => ({ owner, total: count })] },
    });
    const third = table(u8, now, {
      version: 3,
      from: {
        1: [old, ({ owner, count }) => ({ owner, total: BigInt(count) })],
        2: [middle, ({ owner, total }) => ({ owner, total: BigInt(total) })],
      },
    });
    createProgram(application({ name: 'test', version: 2, state: { second }, actions: {} }));
    createProgram(application({ name: 'test', version: 3, state: { third }, actions: {} }));
    expect(second.get(1)).toEqual({ owner: 'a', total: 3 });
    expect(third.get(1)).toEqual({ owner: 'a', total: 3n });
    second.set(2, { owner: 'b', total: 70_000 });
    expect(third.get(2)).toEqual({ owner: 'b', total: 70_000n });
    third.set(1, { owner: 'a', total: 4n });
    expect(valueAt(chain.host, 0)?.[0]).toBe(3);
    expect(() => second.get(1)).toThrow('a value of version 3, which the table does not know');
    expect(() => first.get(1)).toThrow(FormError);
  });

  it('convert cells and entries of sorted tables too', () => {
    const [before, list1] = [cell(u8), sorted(u8, u8)];
    use({ before, list1 });
    before.set(5);
    list1.set(1, 6);
    const after = cell(u32, { version: 2, empty: 0, from: { 1: [u8, (value) => value * 100] } });
    const list2 = sorted(u8, u32, { version: 2, from: { 1: [u8, (value) => value * 100] } });
    createProgram(application({ name: 'test', version: 2, state: { after, list2 }, actions: {} }));
    expect([after.get(), list2.get(1), list2.first()?.value]).toEqual([500, 600, 600]);
  });

  it('refuse conversions from the version itself, or later', () => {
    expect(() => table(u8, u32, { version: 2, from: { 2: [u8, (value) => value] } })).toThrow('"from" has version 2');
    expect(() => table(u8, u32, { version: 256 })).toThrow("a table's version is 1 to 255");
    expect(() => table(account, u8, { version: 0 })).toThrow("a table's version is 1 to 255");
  });
});
