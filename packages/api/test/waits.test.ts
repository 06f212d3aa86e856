import { expect, it } from 'vitest';
import { createWaits } from '../src/waits.ts';

it('a wait whose query fails ends', async () => {
  const waits = createWaits({ after: () => () => {} }, 8);
  let waiting: AbortSignal | undefined;
  const asked = waits.during(['final'], 60_000, new AbortController().signal, async (signal) => {
    waiting = signal;
    throw new Error('the ledger is damaged');
  });
  await expect(asked).rejects.toThrow('the ledger is damaged');
  expect(waiting?.aborted).toBe(true);
});

it('waits are bounded, those above the maximum are answered at once, and a disconnect frees a slot', async () => {
  const waits = createWaits({ after: () => () => {} }, 2);
  const clients = [0, 1, 2].map(() => new AbortController());
  const ask = ({ signal: gone }: AbortController) =>
    waits.during(['final'], 60_000, gone, async (signal) => {
      if (signal === undefined) return 'at once';
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'waited';
    });
  const [first, second, third] = clients as [AbortController, AbortController, AbortController];
  const waiting = [ask(first), ask(second)];
  expect(await ask(third)).toBe('at once');
  first.abort();
  expect(await waiting[0]).toBe('waited');
  const next = ask(third);
  second.abort();
  third.abort();
  expect(await Promise.all([waiting[1], next])).toEqual(['waited', 'waited']);
});
