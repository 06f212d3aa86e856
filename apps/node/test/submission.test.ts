import { type Block, type ChunkId, height } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createSubmission, reportAttested } from '../src/assembly/submission.ts';

const chunk = (fill: number) => new Uint8Array(32).fill(fill) as ChunkId;
const blockOf = (...chunks: number[]) =>
  ({ height: height(7), payload: chunks.map((fill) => ({ chunkId: chunk(fill) })) }) as unknown as Block;

function setUp(idsOf: (id: ChunkId) => readonly string[]) {
  const reported: unknown[] = [];
  const audience = {
    attested: (ids: readonly string[]) => void reported.push(['attested', ids]),
    ordered: (ids: readonly string[], at: number) => void reported.push(['ordered', ids, at]),
    committed: () => void reported.push(['committed']),
  };
  const dissemination = {
    idsOf,
    submitMany: async (transactions: readonly Uint8Array[]) =>
      transactions.map(() => ({ type: 'rejected', reason: 'malformed', message: 'empty' }) as const),
    status: (id: string) => ({ status: id }),
    awaitAttestation: (id: string) => void reported.push(['awaited', id]),
  } as unknown as Parameters<typeof createSubmission>[0];
  return { reported, audience, submission: createSubmission(dissemination, audience) };
}

it('an ordered block reports the transactions of all its chunks, in order; one without any reports nothing', () => {
  const { submission, reported } = setUp((id) => (id[0] === 9 ? [] : [`${id[0]}a`, `${id[0]}b`]));
  submission.ordered(blockOf(1, 2));
  submission.ordered(blockOf());
  submission.ordered(blockOf(9));
  expect(reported).toEqual([['ordered', ['1a', '1b', '2a', '2b'], 7]]);
});

it('an attested chunk reports its transactions, and is an event', () => {
  const { audience, reported } = setUp(() => []);
  const events: unknown[] = [];
  const attested = { chunkId: chunk(1), producer: 2, transactionIds: ['a', 'b'], rows: 9, sinceCreatedMs: 5 };
  const telemetry = { event: (type: string, fields: unknown) => void events.push([type, fields]) };
  reportAttested(attested, audience, { telemetry, spans: undefined });
  expect(reported).toEqual([['attested', ['a', 'b']]]);
  expect(events).toEqual([
    ['chunk.certified', { chunkId: '01'.repeat(32), producer: 2, transactions: 2, rows: 9, sinceCreatedMs: 5 }],
  ]);
});

it('submissions and queries go to dissemination', async () => {
  const { submission } = setUp(() => []);
  expect(await submission.link.submitMany([new Uint8Array()])).toMatchObject([{ reason: 'malformed' }]);
  expect(await submission.link.pooled('included')).toEqual({ status: 'included' });
});

it.each([
  ['pending', true],
  ['unknown', true],
  ['attested', false],
  ['included', false],
  ['dropped', false],
])(
  'a question about a transaction that is %s makes dissemination await its attestation: %s',
  async (status, isAwaited) => {
    const { submission, reported } = setUp(() => []);
    await submission.link.pooled(status);
    expect(reported).toEqual(isAwaited ? [['awaited', status]] : []);
  },
);
