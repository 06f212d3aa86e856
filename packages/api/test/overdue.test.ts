/** Notices of a submission stream for transactions whose end no move reported. */
import { decodeSubmissionMessage, encodeSubmission, type SubmissionNotice } from '@slipstream/schema';
import { asId, type Height, type TransactionId } from '@slipstream/types';
import { expect, it } from 'vitest';
import { genesis } from '../../client/test/real-chain.ts';
import type { Lookup, TransactionRecord } from '../src/index.ts';
import { API_LIMITS } from '../src/options.ts';
import { openSubmissionSession } from '../src/streams/submission-session.ts';

const id = asId<TransactionId>(new Uint8Array(32).fill(7));

/** A stream with one accepted transaction, on a clock that the test advances. */
async function following(lookUp: () => Lookup<TransactionRecord> | Promise<Lookup<TransactionRecord>>) {
  let nowMs = 1_000_000;
  const timers = new Set<{ readonly dueMs: number; readonly action: () => void }>();
  const clock = {
    wallMs: () => nowMs,
    monotonicMs: () => nowMs,
    after(delayMs: number, action: () => void) {
      const timer = { dueMs: nowMs + delayMs, action };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  const notices: SubmissionNotice[] = [];
  const carrier = {
    send(bytes: Uint8Array) {
      const message = decodeSubmissionMessage(bytes);
      if (message.ok && message.value.type === 'notices') notices.push(...message.value.notices);
    },
    unsentBytes: () => 0,
    onRoom() {},
    pause() {},
    resume() {},
    end() {},
  };
  const backend = {
    genesis,
    submitMany: async () => [{ type: 'accepted', id, status: 'pending', expiryMs: nowMs + 10_000 } as const],
    transaction: async () => lookUp(),
    moves: { subscribe: () => () => {} },
  };
  const session = openSubmissionSession({ backend, clock, followed: { total: 0 } }, carrier, 'all', API_LIMITS);
  session.take(encodeSubmission([Uint8Array.of(7)]));
  async function pass(ms: number) {
    for (const endMs = nowMs + ms; nowMs < endMs; nowMs += 100) {
      for (const timer of timers) {
        if (timer.dueMs > nowMs) continue;
        timers.delete(timer);
        timer.action();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await pass(100);
  return { notices, pass };
}

const record = (status: TransactionRecord['status'], height?: number): Lookup<TransactionRecord> => ({
  type: 'found',
  value: { id, status, ...(height !== undefined && { height: height as Height }) },
});

it.each(['pending', 'attested', 'ordered'] as const)(
  'one that is still %s long after its expiry is not said to have expired: the chain may stand still, and go on with it',
  async (status) => {
    let found = record(status);
    const { notices, pass } = await following(() => found);
    await pass(60_000);
    expect(notices).toEqual([]);
    found = record('final', 9);
    await pass(60_000);
    expect(notices).toEqual([{ number: 0, status: 'final', height: 9, index: 0 }]);
  },
);

it('one that the node knows nothing of any more has expired', async () => {
  const { notices, pass } = await following(() => ({ type: 'unknown' }));
  await pass(60_000);
  expect(notices).toEqual([{ number: 0, status: 'expired', height: 0, index: 0 }]);
});

it('while a look-up goes on there is no second one beside it, however long it takes', async () => {
  let asked = 0;
  const { pass } = await following(() => {
    asked += 1;
    return new Promise(() => {});
  });
  await pass(120_000);
  expect(asked).toBe(1);
});
