import type { TransactionView } from '@slipstream/schema';
import { expect, it, onTestFinished, vi } from 'vitest';
import { waitForStage } from '../../src/cli/stage-wait.ts';

const ID = `0x${'ab'.repeat(32)}`;

/** Has no room for a wait, and answers at once. */
function busyNode(statusAt: (nowMs: number) => TransactionView['status']) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const startMs = performance.now();
  const node = {
    asked: 0,
    async transaction(id: string): Promise<TransactionView> {
      node.asked += 1;
      return { id, status: statusAt(performance.now() - startMs) };
    },
  };
  return node;
}

it('polls until the stage is reached, with a pause when the node answers at once', async () => {
  const node = busyNode((nowMs) => (nowMs < 20_000 ? 'attested' : 'ordered'));
  const waiting = waitForStage(node, ID, 'ordered');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await waiting).toEqual({ id: ID, status: 'ordered' });
  expect(node.asked).toBeLessThan(60);
});

it('returns an end other than the requested one', async () => {
  const node = busyNode(() => 'expired');
  expect(await waitForStage(node, ID, 'final')).toEqual({ id: ID, status: 'expired' });
});

it('reports a timeout', async () => {
  const node = busyNode(() => 'pending');
  const outcome = waitForStage(node, ID, 'final', 5).catch((error: Error) => error.message);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await outcome).toBe(`${ID} is not final after 5 s. Ask again: tx show`);
});
