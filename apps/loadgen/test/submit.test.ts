import { type Client, ClientError } from '@slipstream/client';
import { encodeBatch, problem } from '@slipstream/schema';
import { expect, it } from 'vitest';
import type { NodeHandle } from '../src/sending/node-handle.ts';
import { submitBatch } from '../src/sending/submit.ts';

const transfers = [1, 2, 3].map((fill) => ({ id: `0x0${fill}`, bytes: Uint8Array.of(fill), expiryMs: 0 }));

function nodeThat(answer: (body: unknown) => unknown): NodeHandle {
  const call = async (_name: string, { body }: { readonly body: unknown }) => answer(body);
  return { name: 'a', client: { call } as unknown as Client, running: true, restarts: 0 };
}

it('sends a batch as bytes, and assigns each transaction its outcome', async () => {
  let sent: unknown;
  const node = nodeThat((body) => {
    sent = body;
    const refusal = problem('invalid-transaction', { reason: 'expired' });
    const results = [{ ok: true }, { ok: false, problem: refusal }];
    return { results: [...results, { ok: false, problem: problem('overloaded', { retryAfterMs: 70 }) }] };
  });
  expect(await submitBatch(node, transfers)).toEqual([
    { type: 'accepted' },
    { type: 'refused', reason: 'expired', retryAfterMs: undefined },
    { type: 'refused', reason: 'overloaded', retryAfterMs: 70 },
  ]);
  expect(sent).toEqual(encodeBatch(transfers.map(({ bytes }) => bytes)));
});

it('a transaction without a result is unanswered', async () => {
  const [first, second] = await submitBatch(
    nodeThat(() => ({ results: [{ ok: true }] })),
    transfers,
  );
  expect([first?.type, second?.type]).toEqual(['accepted', 'unanswered']);
});

it.each(['network', 'timeout'] as const)('without an answer (%s) the whole batch is unanswered', async (code) => {
  const node = nodeThat(() => {
    throw new ClientError(code, 'no answer');
  });
  expect(await submitBatch(node, transfers)).toEqual(transfers.map(() => ({ type: 'unanswered', reason: code })));
});

it('a problem of the request refuses the whole batch', async () => {
  const node = nodeThat(() => {
    throw new ClientError('not-ready', 'it drains', { problem: problem('not-ready', { retryAfterMs: 500 }) });
  });
  const outcomes = await submitBatch(node, transfers);
  expect(outcomes.map(({ type }) => type)).toEqual(['refused', 'refused', 'refused']);
});
