import type { Client } from '@slipstream/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSentTransactions } from '../src/fate/sent-transactions.ts';
import type { NodeHandle } from '../src/sending/node-handle.ts';
import { startOpenLoop } from '../src/sending/open-loop.ts';
import type { SendOutcome, Submit } from '../src/sending/submit.ts';
import { createSeededRandom } from '../src/workload/seeded-random.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** node:timers/promises is not faked: this is the same over setTimeout, which is. */
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));

function nodeNamed(name: string, state: { running: boolean } = { running: true }): NodeHandle {
  return {
    name,
    client: {} as Client,
    get running() {
      return state.running;
    },
    restarts: 0,
  };
}

function source(count: number) {
  let next = 0;
  return (most: number) => {
    if (next >= count) return undefined;
    const size = Math.min(most, count - next);
    return Array.from({ length: size }, () => ({ id: `t${next++}`, bytes: new Uint8Array(1), expiryMs: 1e15 }));
  };
}

const accept = (count: number): readonly SendOutcome[] => Array.from({ length: count }, () => ({ type: 'accepted' }));
const { unit } = createSeededRandom('loop');

test('due transactions are sent on time, whatever the outcome of earlier ones', async () => {
  const sent = createSentTransactions();
  const sizes: number[] = [];
  const submit: Submit = async (_, transfers) => {
    sizes.push(transfers.length);
    return accept(transfers.length);
  };
  const options = { transactionsPerSecond: 1_000, signal: new AbortController().signal };
  const loop = startOpenLoop({ nodes: [nodeNamed('a')], submit, sent, take: source(1_000), unit }, options);
  await vi.advanceTimersByTimeAsync(500);
  expect(sent.counts().sent).toBe(501);
  await vi.advanceTimersByTimeAsync(600);
  await loop.done;
  expect(sent.counts()).toMatchObject({ sent: 1_000, accepted: 1_000 });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(26);
});

test('unresponsive nodes get a bounded number of batches; transactions that wait for them count as late', async () => {
  const sent = createSentTransactions();
  const waiting: ((outcomes: readonly SendOutcome[]) => void)[] = [];
  const submit: Submit = (_, transfers) =>
    new Promise((resolve) => waiting.push(() => resolve(accept(transfers.length))));
  const options = { transactionsPerSecond: 400, signal: new AbortController().signal };
  const loop = startOpenLoop({ nodes: [nodeNamed('a')], submit, sent, take: source(400), unit }, options);
  await vi.advanceTimersByTimeAsync(900);
  expect(waiting).toHaveLength(8);
  expect(loop.held()).toBeGreaterThan(200);
  while (waiting.length > 0) {
    for (const answer of waiting.splice(0)) answer([]);
    await vi.advanceTimersByTimeAsync(200);
  }
  await loop.done;
  expect(sent.counts().accepted).toBe(400);
  expect(sent.latencies.accepted.maxMs).toBeGreaterThan(800);
});

test('a submission without an answer goes to another node, and is counted once', async () => {
  const sent = createSentTransactions();
  const asked: string[] = [];
  const dead = { running: true };
  const submit: Submit = async ({ name }, transfers) => {
    asked.push(name);
    if (name === 'b') return accept(transfers.length);
    dead.running = false;
    return transfers.map(() => ({ type: 'unanswered', reason: 'network' }));
  };
  const nodes = [nodeNamed('a', dead), nodeNamed('b')];
  const options = { transactionsPerSecond: 1_000, signal: new AbortController().signal };
  const loop = startOpenLoop({ nodes, submit, sent, take: source(100), unit: () => 0 }, options);
  await vi.advanceTimersByTimeAsync(500);
  await loop.done;
  expect(asked[0]).toBe('a');
  expect(asked.slice(1).every((name) => name === 'b')).toBe(true);
  expect(sent.counts()).toMatchObject({ sent: 100, accepted: 100, unanswered: 0 });
  expect(sent.pending()[0]?.node).toBe('b');
});

test('a transaction without an answer is neither accepted nor refused', async () => {
  const sent = createSentTransactions();
  const submit: Submit = async (_, transfers) => transfers.map(() => ({ type: 'unanswered', reason: 'timeout' }));
  const options = { transactionsPerSecond: 1_000, signal: new AbortController().signal };
  const loop = startOpenLoop({ nodes: [nodeNamed('a')], submit, sent, take: source(50), unit }, options);
  await vi.advanceTimersByTimeAsync(300);
  await loop.done;
  expect(sent.counts()).toMatchObject({ sent: 50, accepted: 0, refused: 0, unanswered: 50, pending: 0 });
});

test('refusals are counted by reason, and by whether they give a time to retry', async () => {
  const sent = createSentTransactions();
  const submit: Submit = async (_, transfers) =>
    transfers.map((_, index) =>
      index % 2 === 0
        ? { type: 'refused', reason: 'overloaded', retryAfterMs: 1_000 }
        : { type: 'refused', reason: 'expired', retryAfterMs: undefined },
    );
  const options = { transactionsPerSecond: 2_000, signal: new AbortController().signal };
  const loop = startOpenLoop({ nodes: [nodeNamed('a')], submit, sent, take: source(500), unit }, options);
  await vi.advanceTimersByTimeAsync(500);
  await loop.done;
  const refusals = sent.refusals();
  expect((refusals.get('overloaded') ?? 0) + (refusals.get('expired') ?? 0)).toBe(500);
  expect(sent.refusedForNow()).toBe(refusals.get('overloaded'));
});
