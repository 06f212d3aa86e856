import { MessageChannel } from 'node:worker_threads';
import type { SubmitResult } from '@slipstream/dissemination';
import { silentTelemetry } from '@slipstream/ports';
import type { Peer, Status } from '@slipstream/schema';
import { asId, type TransactionId } from '@slipstream/types';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { eachWanted, packIds } from '../../src/api-thread/ids.ts';
import { linkThrough, type NodeLink, nodeHandlers } from '../../src/api-thread/node-link.ts';
import { decodeSubmitResults, encodeSubmitResults } from '../../src/api-thread/submit-results.ts';
import { NODE_QUEUES, type NodeSide } from '../../src/api-thread/wire.ts';
import { NO_HANDLERS, NO_QUEUES, type NoSide } from '../../src/executor/wire.ts';
import { createChannel } from '../../src/threads/channel.ts';

const idBytes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => asId<TransactionId>(bytes));
const result: fc.Arbitrary<SubmitResult> = fc.oneof(
  fc.record({
    type: fc.constant('accepted' as const),
    id: idBytes,
    expiryMs: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  }),
  fc.record({
    type: fc.constant('known' as const),
    id: idBytes,
    where: fc.constant('pool' as const),
    sameBytes: fc.boolean(),
  }),
  fc.record({
    type: fc.constant('known' as const),
    id: idBytes,
    where: fc.constant('chain' as const),
    sameBytes: fc.constant(true),
  }),
  fc.record({
    type: fc.constant('rejected' as const),
    reason: fc.constantFrom('malformed' as const, 'pool-full' as const, 'bad-signature' as const),
    message: fc.string(),
    id: idBytes,
    retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
  }),
);

describe('results of submissions between threads', () => {
  it('are read back as written, in any order', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 30 }), (results) => {
        expect(decodeSubmitResults(encodeSubmitResults(results))).toEqual(results);
      }),
    );
  });

  it('are one row of fixed size each, with text for rejected ones alone', () => {
    const accepted: SubmitResult = { type: 'accepted', id: asId<TransactionId>(new Uint8Array(32)), expiryMs: 1 };
    const { head, bytes } = encodeSubmitResults(Array.from({ length: 1000 }, () => accepted));
    expect(head).toEqual({ refusals: [] });
    expect(bytes.map(({ length }) => length)).toEqual([41_000]);
  });
});

describe('ids between threads', () => {
  it('are read back as written', () => {
    const ids = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }).map((id) => Buffer.from(id).toString('hex')));
    fc.assert(
      fc.property(ids, (list) => {
        const unpacked: string[] = [];
        eachWanted(
          packIds(list),
          () => true,
          (id, place) => (unpacked[place] = id),
        );
        expect(unpacked).toEqual(list);
      }),
    );
  });
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Over a real channel. */
function linkTo(node: Partial<NodeLink>): NodeLink {
  const { port1, port2 } = new MessageChannel();
  const handlers = nodeHandlers(() => node as NodeLink, silentTelemetry);
  const main = createChannel<NoSide, NodeSide>({ port: port1, handlers }, NO_QUEUES);
  const api = createChannel<NodeSide, NoSide>({ port: port2, handlers: NO_HANDLERS }, NODE_QUEUES);
  closing.push(
    () => api.close(),
    () => main.close(),
  );
  return linkThrough(api);
}

describe('calls of the API to the main thread', () => {
  it('carry submissions with the account they are charged to, and their results', async () => {
    const seen: unknown[] = [];
    const link = linkTo({
      async submitMany(transactions, source) {
        seen.push(
          transactions.map((bytes) => [...bytes]),
          source,
        );
        return [
          { type: 'rejected', reason: 'pool-full', message: 'full', id: asId(new Uint8Array(32)), retryAfterMs: 5 },
        ];
      },
    });
    const results = await link.submitMany([Uint8Array.of(1, 2), Uint8Array.of(3)], '10.0.0.1');
    expect(seen).toEqual([[[1, 2], [3]], '10.0.0.1']);
    expect(results).toMatchObject([{ type: 'rejected', reason: 'pool-full', message: 'full', retryAfterMs: 5 }]);
  });

  it('are made once for all concurrent callers', async () => {
    let asked = 0;
    const link = linkTo({
      async status() {
        asked += 1;
        return { height: asked } as Status;
      },
      peers: async () => [{ peer: '0x01' } as Peer],
    });
    const answers = await Promise.all([link.status(), link.status(), link.status()]);
    expect(answers.map(({ height }) => height)).toEqual([1, 1, 1]);
    expect((await link.status()).height).toBe(2);
    expect(await link.peers()).toEqual([{ peer: '0x01' }]);
  });

  it('reject when the main thread fails, and later ones succeed', async () => {
    const link = linkTo({
      pooled: () => Promise.reject(new Error('the pool is gone')),
      metrics: async () => 'slipstream_up 1\n',
    });
    await expect(link.pooled('00')).rejects.toThrow('the pool is gone');
    expect(await link.metrics()).toBe('slipstream_up 1\n');
  });
});
