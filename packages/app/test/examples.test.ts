/** The integrators' three applications, as they stand, on a node's side in memory. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import escrow from '../../../docs/integrators/examples/applications/escrow.ts';
import orders from '../../../docs/integrators/examples/applications/orders.ts';
import token from '../../../docs/integrators/examples/applications/token.ts';
import { type Application, createManifestJson, createProgram, type Json } from '../src/program/index.ts';
import { createMemoryChain, keyText, purseOf } from './memory-host.ts';

const accountBytes = (seed: number) => Uint8Array.of(1, ...new Uint8Array(32).fill(seed));
const idBytes = (seed: number) =>
  Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? seed & 255 : i === 1 ? seed >> 8 : 7));
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const account = (seed: number) => hex(accountBytes(seed));
const id = (seed: number) => hex(idBytes(seed));

function start(application: Application, genesis: unknown = {}) {
  const program = createProgram(application);
  const chain = createMemoryChain(program);
  const json = createManifestJson(program.manifest);
  const tableOf = (name: string) => program.manifest.tables.find((each) => each.name === name)?.number ?? -1;
  expect(chain.genesis(json.genesisFromJson(genesis))).toEqual({ status: 'success' });
  let transactions = 0;
  return {
    chain,
    program,
    /** The result's code or status. Transactions have ids 0, 1, 2 and so on. */
    send(seed: number, name: string, input: unknown, timeMs = 1_000): string {
      const action = program.manifest.actions.find((each) => each.name === name)?.number ?? -1;
      const context = { sender: accountBytes(seed), transactionId: idBytes(transactions++), timeMs, height: 1 };
      const result = chain.call(action, context, json.inputFromJson(action, input));
      return result.status === 'failed' ? result.code : result.status;
    },
    ask(name: string, input: unknown): Json {
      const result = chain.query(name, json.queryInputFromJson(name, input));
      if (result.status !== 'success') throw new Error(`query ${name}: ${JSON.stringify(result)}`);
      return json.queryOutputToJson(name, result.output);
    },
    events: () =>
      chain.events.map(({ event, body }) => [program.manifest.events[event]?.name, json.eventToJson(event, body)]),
    entries(name: string): readonly (readonly [key: Json, value: Json])[] {
      const number = tableOf(name);
      const prefix = keyText(number, new Uint8Array(0));
      return [...chain.state]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([text, value]) => {
          if (!text.startsWith(prefix)) return [];
          const key = json.keyToJson(number, new Uint8Array(Buffer.from(text.slice(prefix.length), 'hex')));
          return key === undefined ? [] : [[key, json.valueToJson(number, value).value] as const];
        });
    },
  };
}

const seeds = fc.nat(3);
const sum = (amounts: readonly Json[]) => amounts.reduce<bigint>((all, each) => all + BigInt(String(each)), 0n);

describe('token', () => {
  const holders = [0, 1].map((seed) => ({ owner: account(seed), value: '100' }));
  const operation = fc.record({
    sender: seeds,
    from: seeds,
    to: seeds,
    value: fc.oneof(fc.bigInt(0n, 150n), fc.constant(2n ** 64n - 1n)).map(String),
    name: fc.constantFrom('transfer', 'approve', 'transferFrom'),
  });

  it('transfers, approves and reports', () => {
    const { send, ask, events } = start(token, { holders });
    expect(send(0, 'transfer', { to: account(2), value: '30' })).toBe('success');
    expect(events()).toEqual([['Transferred', { from: account(0), to: account(2), value: '30' }]]);
    expect(send(2, 'transfer', { to: account(0), value: '31' })).toBe('insufficient-balance');
    expect(send(1, 'approve', { spender: account(3), value: '10' })).toBe('success');
    expect(send(3, 'transferFrom', { from: account(1), to: account(3), value: '11' })).toBe('insufficient-allowance');
    expect(send(3, 'transferFrom', { from: account(1), to: account(3), value: '4' })).toBe('success');
    expect(ask('allowance', { owner: account(1), spender: account(3) })).toBe('6');
    expect([0, 1, 2, 3].map((seed) => ask('balance', { owner: account(seed) }))).toEqual(['70', '96', '30', '4']);
  });

  it('conserves its supply over random actions', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const { send, ask, entries } = start(token, { holders });
        for (const { sender, from, to, value, name } of operations) {
          const input = {
            transfer: { to: account(to), value },
            approve: { spender: account(to), value },
            transferFrom: { from: account(from), to: account(to), value },
          }[name];
          expect(['success', 'insufficient-balance', 'insufficient-allowance']).toContain(send(sender, name, input));
        }
        expect(sum(entries('balances').map(([, value]) => value))).toBe(200n);
        expect(ask('supply', {})).toBe('200');
      }),
      { numRuns: 150 },
    );
  });
});

describe('escrow', () => {
  const deal = { seller: account(1), arbiter: account(2), value: '60', deadlineMs: 2_000 };

  it('holds coins until they are released or refunded', () => {
    const { send, chain, ask, events } = start(escrow);
    chain.setBalance(accountBytes(0), 100n);
    expect(send(0, 'open', deal)).toBe('success');
    expect(chain.balance(purseOf(idBytes(0)))).toBe(60n);
    expect(send(0, 'open', deal)).toBe('insufficient-balance');
    expect(send(0, 'refund', { deal: id(0) })).toBe('not-allowed');
    expect(send(1, 'release', { deal: id(0) })).toBe('not-allowed');
    expect(send(0, 'release', { deal: id(9) })).toBe('deal-unknown');
    expect(send(0, 'release', { deal: id(0) })).toBe('success');
    expect(events()).toEqual([['Closed', { deal: id(0), status: 'released' }]]);
    expect(send(2, 'refund', { deal: id(0) })).toBe('deal-closed');
    expect([0, 1].map((seed) => chain.balance(accountBytes(seed)))).toEqual([40n, 60n]);
    expect(ask('deal', { deal: id(0) })).toMatchObject({ ...deal, buyer: account(0), status: 'released' });
    expect(() => ask('deal', { deal: id(5) })).toThrow('deal-unknown');
  });

  it('neither makes nor loses coins, and has in each purse what its open deal says', () => {
    const operation = fc.record({
      sender: seeds,
      name: fc.constantFrom('open', 'open', 'release', 'refund'),
      value: fc.bigInt(0n, 70n).map(String),
      deal: fc.nat(30).map(id),
      timeMs: fc.constantFrom(1_000, 3_000),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const { send, chain, entries } = start(escrow);
        for (const seed of [0, 1, 2, 3]) chain.setBalance(accountBytes(seed), 100n);
        for (const { sender, name, value, deal: of, timeMs } of operations) {
          const code = send(sender, name, name === 'open' ? { ...deal, value } : { deal: of }, timeMs);
          expect(code).not.toBe('fault');
        }
        const deals = entries('deals') as readonly (readonly [string, { status: string; value: string }])[];
        const open = deals.map(([key, { status, value }]) => [key, status === 'open' ? BigInt(value) : 0n] as const);
        for (const [key, value] of open) {
          expect(chain.balance(purseOf(new Uint8Array(Buffer.from(key.slice(2), 'hex'))))).toBe(value);
        }
        const inAccounts = [0, 1, 2, 3].map((seed) => String(chain.balance(accountBytes(seed))));
        expect(sum(inAccounts) + sum(open.map(([, value]) => String(value)))).toBe(400n);
      }),
      { numRuns: 150 },
    );
  });
});

describe('orders', () => {
  const PURSE = purseOf(new Uint8Array(Buffer.from('book')));
  const operation = fc.oneof(
    fc.record({
      name: fc.constant('place' as const),
      sender: seeds,
      side: fc.constantFrom('buy', 'sell'),
      price: fc.nat(12),
      quantity: fc.nat(20),
    }),
    fc.record({ name: fc.constant('cancel' as const), sender: seeds, order: fc.nat(60).map(id) }),
  );

  function open() {
    const chain = start(orders);
    for (const seed of [0, 1, 2, 3]) {
      chain.chain.setBalance(accountBytes(seed), 1_000n);
      expect(chain.send(seed, 'deposit', { quantity: 100 })).toBe('success');
    }
    return chain;
  }

  it('matches by price, then by time, and gives back what a better price saved', () => {
    const { send, ask, events, chain } = open();
    expect(send(1, 'place', { side: 'sell', price: 10, quantity: 5 })).toBe('success');
    expect(send(2, 'place', { side: 'sell', price: 9, quantity: 5 })).toBe('success');
    expect(send(3, 'place', { side: 'sell', price: 9, quantity: 5 })).toBe('success');
    expect(ask('top', { side: 'sell' })).toEqual([9, 5]);
    expect(send(0, 'place', { side: 'buy', price: 10, quantity: 12 })).toBe('success');
    const traded = (maker: number, price: number, quantity: number) => [
      'Traded',
      { maker: id(maker), taker: id(7), price, quantity },
    ];
    expect(events()).toEqual([traded(5, 9, 5), traded(6, 9, 5), traded(4, 10, 2)]);
    expect(chain.balance(accountBytes(0))).toBe(1_000n - 5n * 9n - 5n * 9n - 2n * 10n);
    expect(ask('top', { side: 'sell' })).toEqual([10, 3]);
    expect(ask('top', { side: 'buy' })).toEqual([]);
    expect(send(0, 'cancel', { order: id(4) })).toBe('not-yours');
    expect(send(1, 'cancel', { order: id(4) })).toBe('success');
    expect(send(1, 'cancel', { order: id(4) })).toBe('order-unknown');
  });

  it('keeps its book sorted and uncrossed, its goods whole and its purse covered', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const { send, chain, entries } = open();
        for (const { name, sender, ...input } of operations) expect(send(sender, name, input)).not.toBe('fault');
        type Row = readonly [key: readonly [number, number], value: { quantity: number; id: string }];
        const bids = entries('bids') as unknown as readonly Row[];
        const asks = entries('asks') as unknown as readonly Row[];
        const priceOf = ([[rank]]: Row) => 0xffffffff - rank;
        for (const side of [bids.map(priceOf).toReversed(), asks.map(([[price]]) => price)])
          expect(side).toEqual(side.toSorted((a, b) => a - b));
        const best = { bid: Math.max(0, ...bids.map(priceOf)), ask: Math.min(99, ...asks.map(([[price]]) => price)) };
        expect(best.bid).toBeLessThan(best.ask);
        const reserved = bids.reduce((all, row) => all + BigInt(priceOf(row) * row[1].quantity), 0n);
        expect(chain.balance(PURSE)).toBe(reserved);
        const owned = entries('goods').reduce((all, [, quantity]) => all + Number(quantity), 0);
        expect(owned + asks.reduce((all, [, { quantity }]) => all + quantity, 0)).toBe(400);
        const coins = [0, 1, 2, 3].reduce((all, seed) => all + chain.balance(accountBytes(seed)), 0n);
        expect(coins + reserved).toBe(4_000n);
        const places = entries('places').map(([key]) => String(key));
        expect(places.toSorted()).toEqual([...bids, ...asks].map(([, value]) => value.id).toSorted());
      }),
      { numRuns: 200 },
    );
  });
});
