/** The stream's events of applications, of a ledger that commits them. */
import type { LedgerEvent } from '@slipstream/ledger';
import { silentTelemetry } from '@slipstream/ports';
import { asId, type BlockId, height, type TransactionId } from '@slipstream/types';
import { expect, it, vi } from 'vitest';
import { createEventFeed } from '../../src/api-thread/event-feed.ts';

interface Published {
  readonly application: string;
  readonly height: number;
  readonly events: readonly unknown[];
  readonly next: string;
  readonly more: boolean;
}

/** `counts`: events of application 1 by height, of `bodyBytes` each. */
function feedOf(counts: Readonly<Record<number, number>>, bodyBytes = 8) {
  const published: Published[] = [];
  const eventAt = (at: number, index: number): LedgerEvent => ({
    application: 1,
    event: 3,
    body: new Uint8Array(bodyBytes),
    height: height(at),
    index,
    position: 0,
    blockId: asId<BlockId>(new Uint8Array(32)),
    transactionId: asId<TransactionId>(new Uint8Array(32)),
  });
  const ledger = {
    events: vi.fn(async ({ application }, { from = { height: 0 }, limit }) => {
      const count = application === 1 ? (counts[from.height] ?? 0) : 0;
      const events = Array.from({ length: Math.min(count, limit) }, (_, index) => eventAt(from.height, index));
      const more = count > limit;
      const next = more
        ? { height: from.height, index: limit, position: 0 }
        : { height: from.height + 1, index: 0, position: 0 };
      return { events, next, more, height: height(from.height) };
    }),
  };
  const events = { publish: (_: string, data: unknown) => void published.push(data as Published) };
  const feed = createEventFeed({ ledger, events, telemetry: silentTelemetry }, ['other', 'token']);
  return { feed, ledger, published };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 10));

it('come block by block, also of blocks that were committed meanwhile', async () => {
  const { feed, published } = feedOf({ 7: 2, 9: 1 });
  for (const at of [7, 8, 9]) feed.committed(at);
  await settled();
  feed.committed(9);
  await settled();
  expect(published.map(({ application, height: at, events, next }) => [application, at, events.length, next])).toEqual([
    ['token', 7, 2, '8-0-0'],
    ['token', 9, 1, '10-0-0'],
  ]);
  feed.committed(10);
  feed.committed(11);
  await settled();
  expect(published).toHaveLength(2);
});

it('of the blocks after the first are all read, in order', async () => {
  const { feed, published } = feedOf({ 8: 2, 9: 1, 12: 1 });
  feed.committed(7);
  await settled();
  feed.committed(10);
  feed.committed(12);
  await settled();
  expect(published.map(({ height: at }) => at)).toEqual([8, 9, 12]);
});

it('are cut at 64 and at 8 KiB of a block, with the place where the rest begins', async () => {
  const many = feedOf({ 7: 70 });
  many.feed.committed(7);
  await settled();
  expect(many.published).toMatchObject([{ next: '7-64-0', more: true }]);
  expect(many.published[0]?.events).toHaveLength(64);
  const large = feedOf({ 7: 5 }, 2_000);
  large.feed.committed(7);
  await settled();
  expect(large.published).toMatchObject([{ next: '7-3-1', more: true }]);
  expect(large.published[0]?.events).toHaveLength(4);
});

it('of a chain without applications cost no read, and a read that fails ends nothing', async () => {
  const { ledger, published } = feedOf({ 9: 1 });
  const events = { publish: () => {} };
  createEventFeed({ ledger, events, telemetry: silentTelemetry }, []).committed(7);
  expect(ledger.events).not.toHaveBeenCalled();
  const failing = feedOf({ 9: 1 });
  failing.ledger.events.mockRejectedValueOnce(new Error('closed'));
  failing.feed.committed(8);
  await settled();
  failing.feed.committed(9);
  await settled();
  expect(failing.published).toHaveLength(1);
  expect(published).toEqual([]);
});
