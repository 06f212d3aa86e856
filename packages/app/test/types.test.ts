/** What the compiler infers and refuses. The bodies with errors are never called: `npm run -s typecheck` is the test. */
import { expect, expectTypeOf, it } from 'vitest';
import type orders from '../../../docs/integrators/examples/applications/orders.ts';
import type token from '../../../docs/integrators/examples/applications/token.ts';
import {
  type Account,
  type ActionInputs,
  account,
  action,
  amount,
  choice,
  type EventBodies,
  event,
  type Id,
  id,
  list,
  type Of,
  oneOf,
  option,
  type QueryTypes,
  query,
  record,
  sorted,
  type TableTypes,
  table,
  text,
  u8,
  u32,
} from '../src/index.ts';

const order = record({ owner: account, quantity: u32, side: oneOf('buy', 'sell'), note: option(text(9)) });
const kinds = choice({ limit: { price: u32 }, market: {} });

it('infers the values of forms', () => {
  expectTypeOf<Of<typeof order>>().toEqualTypeOf<{
    readonly owner: Account;
    readonly quantity: number;
    readonly side: 'buy' | 'sell';
    readonly note: string | undefined;
  }>();
  expectTypeOf<Of<typeof kinds>['kind']>().toEqualTypeOf<'limit' | 'market'>();
  const describe = (value: Of<typeof kinds>): number => (value.kind === 'limit' ? value.price : 0);
  expect(describe({ kind: 'limit', price: 5 })).toBe(5);
});

it('infers keys and values of tables', () => {
  const places = table([account, u32], order);
  const balances = table(account, amount, { empty: 0n });
  const book = sorted([u32, u32], order);
  expectTypeOf(places.get).parameter(0).toEqualTypeOf<readonly [Account, number]>();
  expectTypeOf(places.get).returns.toEqualTypeOf<Of<typeof order> | undefined>();
  expectTypeOf(balances.get).returns.toEqualTypeOf<bigint>();
  expectTypeOf(book.first).returns.toEqualTypeOf<
    { readonly key: readonly [number, number]; readonly value: Of<typeof order> } | undefined
  >();
  const converted = table(u8, u32, { version: 2, from: { 1: [text(3), (old) => old.length] } });
  expectTypeOf(converted.get).returns.toEqualTypeOf<number | undefined>();
});

it('infers what a client gives to an application, and gets', () => {
  type Inputs = ActionInputs<typeof token>;
  expectTypeOf<keyof Inputs>().toEqualTypeOf<'transfer' | 'approve' | 'transferFrom'>();
  expectTypeOf<Inputs['transfer']>().toEqualTypeOf<{ readonly to: `0x${string}`; readonly value: bigint | string }>();
  expectTypeOf<QueryTypes<typeof token>['balance']['input']>().toEqualTypeOf<{ readonly owner: `0x${string}` }>();
  expectTypeOf<QueryTypes<typeof token>['balance']['output']>().toEqualTypeOf<string>();
  expectTypeOf<EventBodies<typeof token>['Approved']['value']>().toEqualTypeOf<string>();
});

it('infers how a client reads tables', () => {
  type Tables = TableTypes<typeof token>;
  expectTypeOf<keyof Tables>().toEqualTypeOf<'balances' | 'allowances' | 'supply'>();
  expectTypeOf<Tables['balances']['key']>().toEqualTypeOf<`0x${string}`>();
  expectTypeOf<Tables['balances']['value']>().toEqualTypeOf<string>();
  expectTypeOf<Tables['allowances']['key']>().toEqualTypeOf<readonly [`0x${string}`, `0x${string}`]>();
  expectTypeOf<Tables['supply']['key']>().toEqualTypeOf<undefined>();
  type Books = TableTypes<typeof orders>;
  expectTypeOf<Books['places']['value']>().toEqualTypeOf<{
    readonly side: 'buy' | 'sell';
    readonly price: number;
    readonly number: number;
  } | null>();
  expectTypeOf<Books['bids']['kind']>().toEqualTypeOf<'sorted'>();
});

const refused = {
  values(owner: Account, other: Id) {
    const balances = table(account, amount, { empty: 0n });
    // @ts-expect-error: a number is no amount
    balances.set(owner, 5);
    // @ts-expect-error: an id is no account
    balances.get(other);
    // @ts-expect-error: any text is no account
    balances.get('0x01');
    // @ts-expect-error: the empty value is of the form
    table(account, amount, { empty: 0 });
    // @ts-expect-error: a list is no key
    table(list(u8, 5), amount);
    // @ts-expect-error: a key has two parts
    table([account, u8], amount).get([owner]);
    // @ts-expect-error: the conversion gives another type
    table(u8, u32, { version: 2, from: { 1: [text(3), (old) => old] } });
  },
  definitions() {
    event({ value: amount }).emit({ value: 1n });
    // @ts-expect-error: a field is missing
    event({ value: amount }).emit({});
    // @ts-expect-error: there is no such name
    event({ side: oneOf('buy', 'sell') }).emit({ side: 'hold' });
    // @ts-expect-error: the answer is of another form
    query({ of: id }, amount, () => 5);
    // @ts-expect-error: the input has no such field
    action({ to: account }, { run: (_, { value }) => void value });
    // @ts-expect-error: units have four parts
    action({}, { units: { compute: 4 }, run() {} });
  },
};

it('refuses the rest', () => {
  expect(Object.keys(refused)).toEqual(['values', 'definitions']);
});
