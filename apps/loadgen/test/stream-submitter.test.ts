import { type Client, ClientError, type SubmissionStream, type SubmissionStreamOptions } from '@slipstream/client';
import type { SubmissionCode } from '@slipstream/schema';
import { expect, test } from 'vitest';
import type { NodeHandle } from '../src/sending/node-handle.ts';
import { createStreamSubmitter } from '../src/sending/stream-submitter.ts';

/** A node whose answers the test gives. */
function scripted() {
  const streams: { options: SubmissionStreamOptions; sent: number; closed: boolean }[] = [];
  const client = {
    stream(options: SubmissionStreamOptions): SubmissionStream {
      const state = { options, sent: 0, closed: false };
      streams.push(state);
      return {
        opened: Promise.resolve({
          type: 'hello',
          windowTransactions: 100,
          frameBytesMax: 1_000,
          followedMax: 100,
          genesisHash: new Uint8Array(32),
        }),
        room: () => 100 - state.sent,
        send(transactions) {
          const first = state.sent;
          state.sent += transactions.length;
          return first;
        },
        submit: () => Promise.reject(new Error('not used')),
        close: () => {
          state.closed = true;
        },
      } as SubmissionStream;
    },
  } as unknown as Client;
  const node: NodeHandle = { name: 'a', client, running: true, restarts: 0 };
  return { node, streams };
}

const transfers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `t${index}`, bytes: new Uint8Array(10), expiryMs: 1 }));
const row = (code: SubmissionCode) => ({ code, id: new Uint8Array(32) });
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a batch has its outcomes when each of its transactions has a result, in however many messages', async () => {
  const { node, streams } = scripted();
  const submitter = createStreamSubmitter();
  const answered = submitter.submit(node, transfers(3));
  await turn();
  const { options } = streams[0] ?? expect.fail('a stream is open');
  options.onResults?.({ type: 'results', first: 0, retryAfterMs: 0, results: [row('accepted'), row('bad-signature')] });
  options.onResults?.({ type: 'results', first: 2, retryAfterMs: 700, results: [row('overloaded')] });
  expect(await answered).toEqual([
    { type: 'accepted' },
    { type: 'refused', reason: 'bad-signature', retryAfterMs: undefined },
    { type: 'refused', reason: 'overloaded', retryAfterMs: 700 },
  ]);
});

test('notices tell which accepted transactions are attested, once each', async () => {
  const { node, streams } = scripted();
  const submitter = createStreamSubmitter();
  const attested: string[] = [];
  submitter.onAttested?.((id) => attested.push(id));
  const answered = submitter.submit(node, transfers(2));
  await turn();
  const { options } = streams[0] ?? expect.fail('a stream is open');
  options.onResults?.({ type: 'results', first: 0, retryAfterMs: 0, results: [row('accepted'), row('accepted')] });
  await answered;
  const notice = (number: number, status: 'pending' | 'attested' | 'ordered') => ({
    number,
    status,
    height: 0,
    index: 0,
  });
  options.onNotices?.([notice(0, 'pending'), notice(1, 'ordered')]);
  options.onNotices?.([notice(0, 'attested'), notice(0, 'attested'), notice(1, 'attested')]);
  expect(attested).toEqual(['t0']);
});

test('a stream that is lost leaves what has no result unanswered; the next batch opens another', async () => {
  const { node, streams } = scripted();
  const submitter = createStreamSubmitter();
  const answered = submitter.submit(node, transfers(2));
  await turn();
  const { options } = streams[0] ?? expect.fail('a stream is open');
  options.onResults?.({ type: 'results', first: 0, retryAfterMs: 0, results: [row('accepted')] });
  options.onClosed?.(new ClientError('network', 'gone'));
  expect(await answered).toEqual([{ type: 'accepted' }, { type: 'unanswered', reason: 'network' }]);
  void submitter.submit(node, transfers(1));
  expect(streams).toHaveLength(2);
});
