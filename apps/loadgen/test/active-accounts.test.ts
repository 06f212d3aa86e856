import { expect, test } from 'vitest';
import type { End } from '../src/fate/sent-transactions.ts';
import { countActiveAccounts } from '../src/measure/active-accounts.ts';
import { packSigned, signedAt } from '../src/signing/signed-batch.ts';
import { PLAN_BLOCK_TRANSFERS, planBlock } from '../src/workload/transfer-plan.ts';

const workload = { seed: 'active', accounts: 10_000, transactionBytes: 0 };
const FIRST_BLOCK = 3;
const BLOCKS = 2;

/** Two blocks of a plan, 25 transfers per second: 80 seconds. */
const transactionsPerSecond = 25;
const signed = Array.from({ length: BLOCKS }, (_, block) =>
  packSigned(
    Array.from({ length: PLAN_BLOCK_TRANSFERS }, (_, i) => ({
      bytes: new Uint8Array(1),
      id: new Uint8Array(32).map((_, at) => [block, i & 255, i >> 8][at] ?? 0),
      expiryMs: 0,
    })),
  ),
);
const ids = signed.flatMap((batch) => Array.from({ length: batch.count }, (_, i) => signedAt(batch, i).id));
const transfers = [3, 4].flatMap((block) => planBlock(workload, block));

function expected(isFinal: (index: number) => boolean, fromSecond: number, untilSecond: number): number {
  const unique = new Set<number>();
  for (const [index, { sender, receiver }] of transfers.entries()) {
    const second = Math.floor(index / transactionsPerSecond);
    if (second >= fromSecond && second < untilSecond && isFinal(index)) unique.add(sender).add(receiver);
  }
  return unique.size;
}

function count(isFinal: (index: number) => boolean) {
  const fates = new Map<string, End | 'pending'>(ids.map((id, index) => [id, isFinal(index) ? 'final' : 'expired']));
  return countActiveAccounts({ workload, transactionsPerSecond, firstBlock: FIRST_BLOCK, signed, fates });
}

test('counts senders and receivers once a window, over whole windows alone', () => {
  const { perSecond, perMinute, inAll } = count(() => true);
  expect(perMinute).toBe(expected(() => true, 0, 60));
  expect(inAll).toBe(expected(() => true, 0, 80));
  let sum = 0;
  for (let second = 0; second < 80; second++) sum += expected(() => true, second, second + 1);
  expect(perSecond).toBe(Math.round((10 * sum) / 80) / 10);
});

test('leaves out what did not become final', () => {
  const isFinal = (index: number) => index % 2 === 0;
  expect(count(isFinal).perMinute).toBe(expected(isFinal, 0, 60));
  expect(count(() => false)).toEqual({ perSecond: 0, perMinute: 0, inAll: 0 });
});
