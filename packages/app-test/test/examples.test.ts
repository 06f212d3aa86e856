/** The integrators' three applications, as they stand, built and run in realms. */
import { TICKS_PER_UNIT } from '@slipstream/app-realm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import escrow from '../../../docs/integrators/examples/applications/escrow.ts';
import orders from '../../../docs/integrators/examples/applications/orders.ts';
import token from '../../../docs/integrators/examples/applications/token.ts';
import { simulate, testChain } from '../src/index.ts';

const fileOf = (name: string) => new URL(`../../../docs/integrators/examples/applications/${name}.ts`, import.meta.url);

const deals = await testChain(escrow, { file: fileOf('escrow') });
const markets = await testChain(orders, { file: fileOf('orders') });

type AccountText = `0x${string}`;
const everyone = ['alice', 'bob', 'carol', 'dave'].map(deals.account) as [
  AccountText,
  AccountText,
  AccountText,
  AccountText,
];
const [alice, bob, carol, dave] = everyone;
const genesis = { holders: [alice, bob].map((owner) => ({ owner, value: 100n })) };
const tokens = await testChain(token, { file: fileOf('token'), genesis });
const people = fc.constantFrom(...everyone);
const sum = (amounts: readonly unknown[]) => amounts.reduce<bigint>((all, each) => all + BigInt(String(each)), 0n);
const UNKNOWN = `0x${'ff'.repeat(32)}` as const;

/** The code of the call's failure, or "success". */
function codeOf(call: () => unknown): string {
  try {
    call();
    return 'success';
  } catch (error) {
    return String((error as { readonly data?: { readonly code?: string } }).data?.code ?? error);
  }
}

describe('token', () => {
  it('transfers, approves and reports', () => {
    const chain = tokens.again();
    expect(chain.as(alice).transfer({ to: carol, value: 30n }).events).toEqual([
      { name: 'Transferred', body: { from: alice, to: carol, value: '30' } },
    ]);
    chain.expectFails('insufficient-balance', () => chain.as(carol).transfer({ to: alice, value: 31n }));
    chain.as(bob).approve({ spender: dave, value: '10' });
    const take = (value: bigint) => chain.as(dave).transferFrom({ from: bob, to: dave, value });
    chain.expectFails('insufficient-allowance', () => take(11n));
    take(4n);
    expect(chain.ask.allowance({ owner: bob, spender: dave })).toBe('6');
    expect(everyone.map((owner) => chain.ask.balance({ owner }))).toEqual(['70', '96', '30', '4']);
  });

  it('takes genesis of ten thousand holders', () => {
    const holders = Array.from({ length: 10_000 }, (_, i) => ({
      owner: tokens.account(`holder ${i % 200}`),
      value: 1n,
    }));
    expect(tokens.again({ genesis: { holders } }).ask.supply({})).toBe('10000');
  });

  it('transfers within the units that an action has by itself', () => {
    const { used } = tokens.again().as(alice).transfer({ to: carol, value: 30n });
    expect(used).toMatchObject({ reads: 2, writes: 2 });
    expect(used.ticks).toBeLessThan(50 * TICKS_PER_UNIT);
  });

  it('conserves its supply over random actions', () => {
    const operation = fc.record({
      sender: people,
      from: people,
      to: people,
      value: fc.oneof(fc.bigInt(0n, 150n), fc.constant(2n ** 64n - 1n)),
      name: fc.constantFrom('transfer' as const, 'approve' as const, 'transferFrom' as const),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const chain = tokens.again({ freshRealms: false });
        for (const { sender, from, to, value, name } of operations) {
          const act = chain.as(sender);
          const calls = {
            transfer: () => act.transfer({ to, value }),
            approve: () => act.approve({ spender: to, value }),
            transferFrom: () => act.transferFrom({ from, to, value }),
          };
          expect(['success', 'insufficient-balance', 'insufficient-allowance']).toContain(codeOf(calls[name]));
        }
        expect(sum(chain.entries('balances').map(([, value]) => value))).toBe(200n);
        expect(chain.ask.supply({})).toBe('200');
      }),
      { numRuns: 150 },
    );
  });
});

describe('escrow', () => {
  const START_MS = 1_000;
  const deal = { seller: bob, arbiter: carol, value: 60n, deadlineMs: 2_000 };
  const coins = Object.fromEntries(everyone.map((account) => [account, 100n]));

  it('holds coins until they are released or refunded', () => {
    const chain = deals.again({ coins: { [alice]: 100n }, startMs: START_MS });
    const { transactionId: opened } = chain.as(alice).open(deal);
    expect(chain.balance(chain.purse(opened))).toBe(60n);
    chain.expectFails('insufficient-balance', () => chain.as(alice).open(deal));
    chain.expectFails('not-allowed', () => chain.as(alice).refund({ deal: opened }));
    chain.expectFails('not-allowed', () => chain.as(bob).release({ deal: opened }));
    chain.expectFails('deal-unknown', () => chain.as(alice).release({ deal: UNKNOWN }));
    expect(chain.as(alice).release({ deal: opened }).events).toEqual([
      { name: 'Closed', body: { deal: opened, status: 'released' } },
    ]);
    chain.expectFails('deal-closed', () => chain.as(carol).refund({ deal: opened }));
    expect([alice, bob].map(chain.balance)).toEqual([40n, 60n]);
    const shown = chain.ask.deal({ deal: opened });
    expect(shown).toEqual({ ...deal, value: '60', buyer: alice, status: 'released' });
    chain.expectFails('deal-unknown', () => chain.ask.deal({ deal: UNKNOWN }));
  });

  it('gives coins back to their buyer once the deadline is over', () => {
    const chain = deals.again({ coins, startMs: START_MS });
    const { transactionId: opened } = chain.as(alice).open(deal);
    chain.advance(999);
    chain.expectFails('not-allowed', () => chain.as(alice).refund({ deal: opened }));
    chain.advance(1);
    chain.as(alice).refund({ deal: opened });
    expect(chain.balance(alice)).toBe(100n);
  });

  it('neither makes nor loses coins, and has in each purse what its open deal says', () => {
    const operation = fc.record({
      sender: people,
      name: fc.constantFrom('open' as const, 'open' as const, 'release' as const, 'refund' as const),
      value: fc.bigInt(0n, 70n),
      of: fc.nat(30),
      ms: fc.constantFrom(0, 0, 0, 700),
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
        const chain = deals.again({ coins, startMs: START_MS, freshRealms: false });
        for (const { sender, name, value, of, ms } of operations) {
          chain.advance(ms);
          const id = chain.receipts[of]?.transactionId ?? UNKNOWN;
          const act = chain.as(sender);
          const code = codeOf(() => (name === 'open' ? act.open({ ...deal, value }) : act[name]({ deal: id })));
          expect(code).toMatch(
            /^(success|insufficient-balance|no-value|deadline-past|not-allowed|deal-unknown|deal-closed)$/,
          );
        }
        const rows = chain.entries('deals') as readonly (readonly [string, { status: string; value: string }])[];
        const open = rows.map(([key, { status, value }]) => [key, status === 'open' ? BigInt(value) : 0n] as const);
        for (const [key, value] of open) expect(chain.balance(chain.purse(key))).toBe(value);
        expect(sum(everyone.map(chain.balance)) + sum(open.map(([, value]) => value))).toBe(400n);
      }),
      { numRuns: 150 },
    );
  });
});

describe('orders', () => {
  const operation = fc.oneof(
    fc.record({
      name: fc.constant('place' as const),
      sender: people,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      price: fc.nat(12),
      quantity: fc.nat(20),
    }),
    fc.record({ name: fc.constant('cancel' as const), sender: people, of: fc.nat(60) }),
  );

  function open(freshRealms = true) {
    const coins = Object.fromEntries(everyone.map((account) => [account, 1_000n]));
    const chain = markets.again({ coins, freshRealms });
    for (const account of everyone) chain.as(account).deposit({ quantity: 100 });
    return chain;
  }

  it('matches by price, then by time, and gives back what a better price saved', () => {
    const chain = open();
    const sell = (price: number) => ({ side: 'sell', price, quantity: 5 }) as const;
    const [tenth, ninth, later] = [
      chain.as(bob).place(sell(10)),
      chain.as(carol).place(sell(9)),
      chain.as(dave).place(sell(9)),
    ];
    expect(chain.ask.top({ side: 'sell' })).toEqual([9, 5]);
    const bought = chain.as(alice).place({ side: 'buy', price: 10, quantity: 12 });
    const traded = (maker: string, price: number, quantity: number) => ({
      name: 'Traded',
      body: { maker, taker: bought.transactionId, price, quantity },
    });
    expect(bought.events).toEqual([
      traded(ninth.transactionId, 9, 5),
      traded(later.transactionId, 9, 5),
      traded(tenth.transactionId, 10, 2),
    ]);
    expect(chain.balance(alice)).toBe(1_000n - 5n * 9n - 5n * 9n - 2n * 10n);
    expect(chain.ask.top({ side: 'sell' })).toEqual([10, 3]);
    expect(chain.ask.top({ side: 'buy' })).toEqual([]);
    const cancel = { order: tenth.transactionId };
    chain.expectFails('not-yours', () => chain.as(alice).cancel(cancel));
    chain.as(bob).cancel(cancel);
    chain.expectFails('order-unknown', () => chain.as(bob).cancel(cancel));
  });

  it('keeps its book sorted and uncrossed, its goods whole and its purse covered', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const chain = open(false);
        for (const each of operations) {
          const act = chain.as(each.sender);
          const code = codeOf(() => {
            if (each.name === 'cancel') return act.cancel({ order: chain.receipts[each.of]?.transactionId ?? UNKNOWN });
            return act.place({ side: each.side, price: each.price, quantity: each.quantity });
          });
          expect(code).toMatch(/^(success|bad-order|insufficient-balance|insufficient-goods|order-unknown|not-yours)$/);
        }
        type Row = readonly [key: readonly [number, number], value: { quantity: number; id: string }];
        const bids = chain.entries('bids') as unknown as readonly Row[];
        const asks = chain.entries('asks') as unknown as readonly Row[];
        const priceOf = ([[rank]]: Row) => 0xffffffff - rank;
        for (const side of [bids.map(priceOf).toReversed(), asks.map(([[price]]) => price)])
          expect(side).toEqual(side.toSorted((a, b) => a - b));
        const best = { bid: Math.max(0, ...bids.map(priceOf)), ask: Math.min(99, ...asks.map(([[price]]) => price)) };
        expect(best.bid).toBeLessThan(best.ask);
        const reserved = bids.reduce((all, row) => all + BigInt(priceOf(row) * row[1].quantity), 0n);
        expect(chain.balance(chain.purse('book'))).toBe(reserved);
        const owned = chain.entries('goods').reduce((all, [, quantity]) => all + Number(quantity), 0);
        expect(owned + asks.reduce((all, [, { quantity }]) => all + quantity, 0)).toBe(400);
        expect(sum(everyone.map(chain.balance)) + reserved).toBe(4_000n);
        const places = chain.entries('places').map(([key]) => String(key));
        expect(places.toSorted()).toEqual([...bids, ...asks].map(([, value]) => value.id).toSorted());
      }),
      { numRuns: 200 },
    );
  });
});

describe('a simulation finds nothing in', () => {
  const TERMS = { seeds: 4, actions: 80, crashChance: 0.05 };

  it('the token, whose supply stays', async () => {
    const holders = everyone.map((owner) => ({ owner, value: 100n }));
    const { neverSucceeded, crashes, actions } = await simulate(token, {
      ...TERMS,
      file: fileOf('token'),
      accounts: everyone,
      genesis: { holders },
      holds: { supply: ({ entries }) => sum(entries('balances').map(([, value]) => value)) === 400n },
    });
    expect({ neverSucceeded, actions }).toEqual({ neverSucceeded: [], actions: 320 });
    expect(crashes).toBeGreaterThan(5);
  });

  it('the escrow', async () => {
    const { neverSucceeded } = await simulate(escrow, { ...TERMS, file: fileOf('escrow') });
    expect(neverSucceeded).toEqual([]);
  });

  it('the order book', async () => {
    const { neverSucceeded } = await simulate(orders, { ...TERMS, file: fileOf('orders'), accounts: [alice, bob] });
    expect(neverSucceeded).toEqual([]);
  });
});
