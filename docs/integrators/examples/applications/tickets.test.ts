import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate, testChain } from '@slipstream/app-test';
import tickets from './tickets.ts';

const file = new URL('./tickets.ts', import.meta.url);
const chain = await testChain(tickets, { file });
const alice = chain.account('alice');
const bob = chain.account('bob');

test('seats are taken until there are none', () => {
  const { transactionId: show } = chain.as(alice).open({ title: 'Hamlet', seats: 3 });
  const { events } = chain.as(bob).take({ show, seats: 2 });
  assert.deepEqual(events, [{ name: 'Taken', body: { show, holder: bob, seats: 2 } }]);
  chain.expectFails('sold-out', () => chain.as(alice).take({ show, seats: 2 }));
  chain.as(alice).take({ show, seats: 1 });
  assert.equal(chain.ask.seats({ show, holder: bob }), 2);
  assert.equal(chain.ask.show({ show }).taken, 3);
});

test('a show that is not there has no seats', () => {
  const show = `0x${'00'.repeat(32)}` as const;
  chain.expectFails('show-unknown', () => chain.as(bob).take({ show, seats: 1 }));
});

test('random actions break no invariant, and each action succeeds at times', async () => {
  const { neverSucceeded } = await simulate(tickets, { file, seeds: 5, actions: 100 });
  assert.deepEqual(neverSucceeded, []);
});
