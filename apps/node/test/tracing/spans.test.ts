import type { TraceSpan } from '@slipstream/ports';
import { asId, type BlockId, type ChunkId, height, type Receipt, type TransactionId, view } from '@slipstream/types';
import { expect, it } from 'vitest';
import { createBlockSpans } from '../../src/tracing/block-spans.ts';
import { createChunkSpans } from '../../src/tracing/chunk-spans.ts';
import { createClientSpans } from '../../src/tracing/client-spans.ts';
import { createTraceChoice, traceIdsOf } from '../../src/tracing/trace-ids.ts';

const idOf = (fill: string) => fill.repeat(32);
const TRACED = idOf('aa');
const OTHER = idOf('bb');
const isTraced = (id: string) => id === TRACED;

function recorder() {
  let nowMs = 1_000;
  const spans: TraceSpan[] = [];
  return {
    spans,
    clock: { wallMs: () => nowMs },
    telemetry: { span: (span: TraceSpan) => void spans.push(span) },
    pass(ms: number) {
      nowMs += ms;
    },
    brief: () => spans.map(({ name, fromMs, toMs, isRoot }) => [name, fromMs, toMs, isRoot === true]),
  };
}

it('the ids of a trace are parts of the transaction id', () => {
  const id = `${'01'.repeat(16)}${'02'.repeat(8)}${'03'.repeat(8)}`;
  expect(traceIdsOf(id)).toEqual({ traceId: '01'.repeat(16), rootSpanId: '02'.repeat(8) });
});

it.each([
  [0, 0],
  [1, 1_000],
  [10, 100],
])('one transaction in %i is traced, the same ones on each node', (oneIn, expected) => {
  const ids = Array.from(
    { length: 1_000 },
    (_, i) => `${'00'.repeat(24)}${i.toString(16).padStart(8, '0')}${'00'.repeat(4)}`,
  );
  const traced = ids.filter(createTraceChoice(oneIn));
  expect(traced).toHaveLength(expected);
  expect(ids.filter(createTraceChoice(oneIn))).toEqual(traced);
});

it('the API’s thread spans a traced transaction from its submission to its end', () => {
  const { brief, pass, spans, ...parts } = recorder();
  const client = createClientSpans(parts, isTraced);
  const accepted = client.submitted();
  pass(5);
  accepted([TRACED, OTHER]);
  pass(300);
  for (const id of [TRACED, OTHER, TRACED]) client.ended(id, { status: 'final', height: 7, committedMs: 1_290 });
  expect(brief()).toEqual([
    ['api.submit', 1_000, 1_005, false],
    ['api.notify', 1_290, 1_305, false],
    ['transaction', 1_000, 1_305, true],
  ]);
  expect(spans[2]?.fields).toEqual({ thread: 'api', status: 'final', height: 7 });
});

it('a transaction that expires has no notice of a block', () => {
  const { brief, ...parts } = recorder();
  const client = createClientSpans(parts, isTraced);
  client.submitted()([TRACED]);
  client.ended(TRACED, { status: 'expired', height: undefined, committedMs: undefined });
  expect(brief().map(([name]) => name)).toEqual(['api.submit', 'transaction']);
});

it('the main thread spans submission, pool and attestation, on other nodes the attestation alone', () => {
  const { brief, pass, ...parts } = recorder();
  const [here, elsewhere] = [createChunkSpans(parts, isTraced), createChunkSpans(parts, isTraced)];
  const accepted = here.submitted();
  pass(2);
  accepted([TRACED, OTHER]);
  pass(98);
  const chunkId = asId<ChunkId>(new Uint8Array(32).fill(3));
  const chunk = { chunkId, producer: 1, transactionIds: [TRACED, OTHER], rows: 0, sinceCreatedMs: 40 };
  here.attested(chunk);
  elsewhere.attested(chunk);
  expect(brief()).toEqual([
    ['dissemination.submit', 1_000, 1_002, false],
    ['dissemination.pool', 1_002, 1_060, false],
    ['dissemination.attest', 1_060, 1_100, false],
    ['dissemination.attest', 1_060, 1_100, false],
  ]);
});

it('the executor’s thread spans the stages of a block for each traced transaction in it', () => {
  const { brief, spans, telemetry } = recorder();
  const receiptOf = (fill: number) =>
    ({ transactionId: asId<TransactionId>(new Uint8Array(32).fill(fill)) }) as Receipt;
  const traced = createBlockSpans(telemetry, isTraced);
  const blockId = asId<BlockId>(new Uint8Array(32).fill(9));
  const block = { height: height(4), view: view(5) } as Parameters<typeof traced>[0]['block'];
  const times = { proposedMs: 10, notarizedMs: 30, finalizedMs: 50, executedMs: 25, committedMs: 60 };
  traced({ blockId, block, receipts: [receiptOf(0xbb)], times });
  expect(spans).toEqual([]);
  traced({ blockId, block, receipts: [receiptOf(0xaa), receiptOf(0xbb)], times });
  expect(brief()).toEqual([
    ['block.notarize', 10, 30, false],
    ['block.finalize', 30, 50, false],
    ['block.execute', 10, 25, false],
    ['block.commit', 50, 60, false],
  ]);
  expect(spans[0]?.fields).toEqual({ thread: 'executor', block: '09'.repeat(32), height: 4, view: 5 });
});
