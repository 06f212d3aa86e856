import type { HandedCall, HandedResult } from '@slipstream/execution';
import { describe, expect, it } from 'vitest';
import { callThreads } from '../../src/parallel/call-threads.ts';
import { createSharedJob, workOn } from '../../src/parallel/shared-job.ts';

const WAIT_MS = 1;
const bytes = (...values: number[]) => Uint8Array.from(values);

const call = (action: number): HandedCall => ({
  application: 300,
  action,
  sender: bytes(1, 2),
  transactionId: bytes(3),
  input: bytes(),
  entries: [
    { key: bytes(4), value: bytes(5, 6) },
    { key: bytes(7), value: undefined },
  ],
  resultBytesMax: 256,
});
const calls = [0, 1, 2, 3].map(call);

const echo = ({ action }: HandedCall): HandedResult => ({
  ok: true,
  output: bytes(action),
  collected: 5n,
  asked: 2n ** 64n - 1n,
  paid: [
    { scheme: 'purse', bytes: new Uint8Array(32).fill(4) },
    { scheme: 'ed25519', bytes: new Uint8Array(32) },
  ],
  changes: [
    { at: 0, value: undefined },
    { at: 1, value: bytes(action) },
    { at: 300, balance: 2n ** 64n - 1n },
  ],
});

describe('a job of calls that threads share', () => {
  it('workers get the calls as they are, from the back, and the executor their results', () => {
    const job = createSharedJob(calls);
    const seen: HandedCall[] = [];
    workOn(job.memory, (one) => {
      seen.push(one);
      return one.action === 2
        ? { ok: false, code: 'application-failed', output: bytes(9), collected: 3n, asked: 4n }
        : echo(one);
    });
    expect(seen).toEqual(calls.toReversed().map((one) => ({ ...one, resultBytesMax: 0 })));
    expect(job.take(0, WAIT_MS)).toEqual(echo(call(0)));
    expect(job.take(2, WAIT_MS)).toEqual({
      ok: false,
      code: 'application-failed',
      output: bytes(9),
      collected: 3n,
      asked: 4n,
    });
    expect(job.taken()).toBe(2);
  });

  it('each call is begun by one side', () => {
    const job = createSharedJob(calls);
    expect(job.take(3, WAIT_MS)).toBeUndefined();
    job.drop(1);
    const seen: number[] = [];
    workOn(job.memory, (one) => {
      seen.push(one.action);
      return echo(one);
    });
    expect(seen).toEqual([2, 0]);
    expect(job.take(3, WAIT_MS)).toBeUndefined();
    expect(job.take(2, WAIT_MS)).toEqual(echo(call(2)));
  });

  it('nothing is begun once the block is over', () => {
    const job = createSharedJob(calls);
    const seen: number[] = [];
    workOn(job.memory, (one) => {
      seen.push(one.action);
      job.end();
      return echo(one);
    });
    expect(seen).toEqual([3]);
  });

  it('a result that is missing, or too long for its room, is absent', () => {
    const job = createSharedJob(calls);
    workOn(job.memory, (one) => (one.action === 0 ? undefined : { ...echo(one), output: new Uint8Array(200) }));
    expect([0, 1, 2, 3].map((at) => job.take(at, WAIT_MS))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('a worker that died amid a call is waited for once', () => {
    const job = createSharedJob(calls);
    const dying = () => {
      throw new Error('the thread ends');
    };
    for (let i = 0; i < 3; i++) expect(() => workOn(job.memory, dying)).toThrow('the thread ends');
    const beginMs = performance.now();
    expect(job.take(1, 30)).toBeUndefined();
    expect(job.isLate()).toBe(true);
    expect(performance.now() - beginMs).toBeGreaterThan(25);
    expect([2, 3].map((at) => job.take(at, 10_000))).toEqual([undefined, undefined]);
    workOn(job.memory, echo);
    expect(job.take(0, WAIT_MS)).toEqual(echo(call(0)));
  });
});

it('threads are as configured, or half of the cores that others leave', () => {
  expect([1, 2, 4, 6, 8, 16, 64].map((cores) => callThreads(-1, cores))).toEqual([0, 0, 0, 1, 2, 6, 8]);
  expect([0, 1, 64].map((configured) => callThreads(configured, 2))).toEqual([0, 1, 64]);
});
