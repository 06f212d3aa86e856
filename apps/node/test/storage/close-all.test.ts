import { expect, test } from 'vitest';
import { closeAll } from '../../src/storage/close-all.ts';

function recorder() {
  const closed: string[] = [];
  const store = (name: string, error?: Error) => ({
    async close() {
      closed.push(name);
      if (error) throw error;
    },
  });
  return { closed, store };
}

test('all are closed in order when some fail, and the first error is reported', async () => {
  const { closed, store } = recorder();
  const first = new Error('the ledger did not close');
  const stores = [
    store('state'),
    store('ledger', first),
    store('chunks', new Error('nor did the chunks')),
    store('log'),
  ];
  await expect(closeAll(stores)).rejects.toBe(first);
  expect(closed).toEqual(['state', 'ledger', 'chunks', 'log']);
});

test('each one is closed after the one before has closed', async () => {
  const { closed, store } = recorder();
  const held = Promise.withResolvers<void>();
  const all = closeAll([{ close: () => held.promise }, store('chunks')]);
  await Promise.resolve();
  expect(closed).toEqual([]);
  held.resolve();
  await all;
  expect(closed).toEqual(['chunks']);
});
