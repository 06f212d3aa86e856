import { expect, it } from 'vitest';
import { createWaits } from '../src/waits.ts';

it('a wait whose question fails is ended, so that nobody is left waiting for it', async () => {
  const waits = createWaits({ after: () => () => {} }, 8);
  let waiting: AbortSignal | undefined;
  const asked = waits.during(['final'], 60_000, new AbortController().signal, async (signal) => {
    waiting = signal;
    throw new Error('the ledger is damaged');
  });
  await expect(asked).rejects.toThrow('the ledger is damaged');
  expect(waiting?.aborted).toBe(true);
});
