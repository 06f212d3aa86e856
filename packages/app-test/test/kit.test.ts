import { expect, it } from 'vitest';
import tickets from '../../../docs/integrators/examples/applications/tickets.ts';
import { simulate, testChain } from '../src/index.ts';
import faulty from './applications/faulty.ts';

const file = new URL('./applications/faulty.ts', import.meta.url);
const first = await testChain(faulty, { file });
const alice = first.account('alice');

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

it('gives receipts, events, queries and entries; each call is a block', () => {
  const chain = first.again({ startMs: 5_000 });
  const { transactionId, ...receipt } = chain.as(alice).count({ by: 3 });
  expect(transactionId).toMatch(/^0x[0-9a-f]{64}$/);
  expect(receipt).toEqual({
    height: 1,
    events: [{ name: 'Counted', body: { by: 3 } }],
    used: { ticks: expect.any(Number), reads: 1, writes: 1, bytes: 6 },
  });
  chain.as(alice).count({ by: 4 });
  expect([chain.ask.total({}), chain.entries('total'), chain.events.length]).toEqual([7, [[[], 7]], 2]);
  chain.advance(10);
  expect([chain.height, chain.timeMs, first.height]).toEqual([2, 5_010, 0]);
});

it.each([
  ['count', { by: 0 }, 'by-nothing'],
  ['undeclared', {}, 'undeclared-key'],
  ['fault', {}, 'application-fault'],
  ['endless', {}, 'out-of-compute'],
  ['dear', { times: 6 }, 'out-of-units'],
] as const)('a call of %s with %j fails with %s, and changes nothing', (name, input, code) => {
  const chain = first.again();
  const call = (chain.as(alice) as Record<string, (given: unknown) => unknown>)[name] as (given: unknown) => unknown;
  chain.expectFails(code, () => call(input));
  expect(thrownBy(() => call(input))).toMatchObject({ code: 'call-failed', data: { code } });
  expect(() => chain.expectFails('another-code', () => call(input))).toThrow(`${name} failed with ${code}`);
  expect([chain.entries('total'), chain.entries('counts'), chain.events]).toEqual([[], [], []]);
});

it('a failure that does not come is one, and a query fails by its code', () => {
  const chain = first.again();
  expect(() => chain.expectFails('by-nothing', () => chain.as(alice).count({ by: 1 }))).toThrow('the call succeeded');
  first.again().expectFails('nothing-counted', () => first.again().ask.total({}));
});

it('finds state outside of tables: a new realm gives another result', () => {
  const chain = first.again();
  chain.as(alice).remember({});
  expect(thrownBy(() => chain.as(alice).remember({}))).toMatchObject({ code: 'realms-differ' });
  const unchecked = first.again({ freshRealms: false });
  for (let i = 0; i < 3; i++) unchecked.as(alice).remember({});
});

it('checks invariants after each call', () => {
  const chain = first.again();
  for (let i = 0; i < 3; i++) chain.as(alice).count({ by: 255 });
  expect(() => chain.as(alice).count({ by: 255 })).toThrow('after count the invariant totalIsSmall does not hold');
});

it('refuses the file of another application, and input of another form', async () => {
  const other = testChain(tickets as never, { file });
  await expect(other).rejects.toMatchObject({ code: 'another-application' });
  expect(() => first.again({ genesis: { more: 1 } as never })).toThrow('genesis takes another input: genesis');
  expect(() => first.as(alice).count({ by: 256 })).toThrow('input.by: expected an integer from 0 to 255');
  expect(() => first.as('0x01').count({ by: 1 })).toThrow('0x01 is no account');
});

it('a simulation plays the same for the same seed, and names what each action ended with', async () => {
  const terms = {
    file: new URL('../../../docs/integrators/examples/applications/tickets.ts', import.meta.url),
    seeds: 2,
    actions: 60,
  };
  const [one, again] = [await simulate(tickets, terms), await simulate(tickets, terms)];
  expect(again).toEqual(one);
  expect(one).toMatchObject({ actions: 120, neverSucceeded: [] });
  expect((await simulate(tickets, { ...terms, firstSeed: 11 })).outcomes).not.toEqual(one.outcomes);
  const { neverSucceeded } = await simulate(tickets, { ...terms, inputs: { open: () => ({ title: 'a', seats: 0 }) } });
  expect(neverSucceeded).toEqual(['open', 'take']);
});

it('a simulation finds state outside of tables, broken invariants and defects, each with its seed', async () => {
  const only = (name: string) => ({ [name]: () => ({}) });
  const defects = ['application-fault', 'undeclared-key', 'out-of-compute', 'out-of-units'];
  const terms = { file, seeds: 2, actions: 60, crashChance: 0.2 };
  const failureOf = (options: object) => simulate(faulty, { ...terms, ...options }).catch((error: unknown) => error);
  expect(await failureOf({})).toMatchObject({ code: 'simulation-failed', data: { code: expect.any(String), seed: 1 } });
  const hidden = await failureOf({ tolerates: defects, inputs: { count: () => ({ by: 0 }), ...only('remember') } });
  expect(hidden).toMatchObject({ data: { seed: 1 }, cause: { code: 'realms-differ' } });
  expect(String(hidden)).toMatch(/seed 1, action \d+, remember of 0x01.* with \{\}: /);
  const supply = await failureOf({ tolerates: defects, actions: 0, holds: { never: () => false } });
  expect(supply).toMatchObject({ cause: { code: 'invariant-broken' } });
});
