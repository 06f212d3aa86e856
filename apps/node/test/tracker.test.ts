import { TRANSACTION_LIFE_MS_MAX } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createTracker } from '../src/backend/tracker.ts';

const OPEN_MAX = 300_000;
const ENDED_MAX = 20_000;
const idOf = (n: number) => n.toString(16).padStart(64, '0');

it('a status never goes back, in whatever order reports arrive, and each is reported once', () => {
  const reports: string[] = [];
  const tracker = createTracker((_, { status }) => reports.push(status));
  tracker.submitted(idOf(1), 9);
  for (const status of ['ordered', 'attested', 'ordered', 'final', 'expired', 'ordered', 'pending'] as const) {
    tracker.moved(idOf(1), status, { height: 4 });
  }
  expect(reports).toEqual(['pending', 'ordered', 'final']);
  expect(tracker.get(idOf(1))).toMatchObject({ status: 'final', height: 4, expiryMs: 9 });
  expect(tracker.openCount).toBe(0);
});

it('above the maximum the oldest are forgotten, open ones and ended ones apart', () => {
  const tracker = createTracker(() => {});
  for (let n = 0; n <= OPEN_MAX; n++) tracker.submitted(idOf(n), 9);
  expect(tracker.openCount).toBe(OPEN_MAX);
  expect([0, 1, OPEN_MAX].map((n) => tracker.has(idOf(n)))).toEqual([false, true, true]);
  for (let n = 1; n <= ENDED_MAX + 1; n++) tracker.moved(idOf(n), 'final');
  expect([1, 2, ENDED_MAX + 1, ENDED_MAX + 2].map((n) => tracker.get(idOf(n))?.status)).toEqual([
    ...[undefined, 'final', 'final', 'pending'],
  ]);
  expect(tracker.openCount).toBe(OPEN_MAX - ENDED_MAX - 1);
});

it('as many ended ones as the maximum are remembered, however many there were', () => {
  const tracker = createTracker(() => {});
  const all = 3 * ENDED_MAX + 7;
  for (let n = 1; n <= all; n++) {
    tracker.submitted(idOf(n), 9);
    tracker.moved(idOf(n), 'final');
  }
  const first = all - ENDED_MAX + 1;
  expect([1, first - 1, first, all].map((n) => tracker.get(idOf(n))?.status)).toEqual([
    ...[undefined, undefined, 'final', 'final'],
  ]);
});

it('an awaited foreign transaction is forgotten after a life, without a report that it has expired', () => {
  const reports: string[] = [];
  const tracker = createTracker((_, { status }) => reports.push(status));
  const gone = new AbortController();
  void tracker.wait(idOf(7), ['final'], gone.signal);
  tracker.moved(idOf(7), 'attested');
  expect(tracker.expire(1_000).size).toBe(0);
  gone.abort();
  expect(tracker.expire(2_000).size).toBe(0);
  // A waiter for an earlier stage still reads that it was reached.
  expect(tracker.get(idOf(7))?.status).toBe('attested');
  expect(tracker.expire(2_000 + TRANSACTION_LIFE_MS_MAX).size).toBe(0);
  expect([tracker.has(idOf(7)), tracker.openCount, reports]).toEqual([false, 0, ['attested']]);
});

it('a known expiry outlives the wait', () => {
  const tracker = createTracker(() => {});
  const gone = new AbortController();
  void tracker.wait(idOf(8), ['final'], gone.signal);
  tracker.endsBy(idOf(8), 5_000);
  tracker.moved(idOf(8), 'attested');
  gone.abort();
  expect([...tracker.expire(5_000)]).toEqual([[idOf(8), 5_000]]);
});

it('a wait for a row ends when its batch ran, and no other wait does', async () => {
  const tracker = createTracker(() => {});
  const [part, other] = ['ab'.repeat(28), `${'ab'.repeat(27)}cd`];
  const ends: string[] = [];
  const never = new AbortController();
  for (const id of [`${part}00000001`, `${part}00000007`, `${other}00000001`]) {
    void tracker.wait(id, ['final'], never.signal).then(() => ends.push(id));
  }
  tracker.rowsRan('00'.repeat(28));
  tracker.rowsRan(part);
  await new Promise((resolve) => setImmediate(resolve));
  expect(ends).toEqual([`${part}00000001`, `${part}00000007`]);
  never.abort();
});
