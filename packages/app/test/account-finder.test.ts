/** Accounts in values, found by the description of their form. */
import { describe, expect, it } from 'vitest';
import { account, choice, list, option, record, text, u8 } from '../src/index.ts';
import { accountFinder, encodeJson, type Form } from '../src/program/index.ts';

const named = (byte: number): string => `0x01${byte.toString(16).padStart(2, '0').repeat(32)}`;

function found(form: Form<never>, json: unknown, most = 16): readonly string[] | undefined {
  const find = accountFinder(form.description);
  return find?.(encodeJson(form as Form<unknown>, json, 'value'), most).map(
    (bytes) => `0x${Buffer.from(bytes).toString('hex')}`,
  );
}

const order = record({
  from: account,
  note: text(20),
  copies: list(record({ to: account, share: u8 }), 40),
  arbiter: option(account),
  way: choice({ post: { to: account }, pickup: { counter: u8 } }),
}) as unknown as Form<never>;

describe('the accounts in a value', () => {
  it('are found in lists, options and choices, each once, in their order', () => {
    const copies = [2, 3, 2].map((byte) => ({ to: named(byte), share: 1 }));
    const json = { from: named(1), note: 'n', copies, arbiter: named(4), way: { kind: 'post', to: named(1) } };
    expect(found(order, json)).toEqual([1, 2, 3, 4].map(named));
    const less = { ...json, copies: [], arbiter: null, way: { kind: 'pickup', counter: 1 } };
    expect(found(order, less)).toEqual([named(1)]);
  });

  it('are bounded', () => {
    const copies = Array.from({ length: 40 }, (_, i) => ({ to: named(i + 2), share: 1 }));
    const json = { from: named(1), note: '', copies, arbiter: null, way: { kind: 'pickup', counter: 1 } };
    expect(found(order, json, 16)).toEqual(Array.from({ length: 16 }, (_, i) => named(i + 1)));
  });

  it('are none in bytes that are no value, and forms without accounts need no reading', () => {
    expect(accountFinder(order.description)?.(new Uint8Array(5), 16)).toEqual([]);
    expect(accountFinder(record({ note: text(3) }).description)).toBeUndefined();
  });
});
