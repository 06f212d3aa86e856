import { expect, test } from 'vitest';
import type { ViewRow } from '../src/stream/snapshot.ts';
import { heightsToRead, readEvents } from '../src/views/applications/recent-events.ts';

const row = (height: number, transactions: number, committedMs: number | undefined) =>
  ({ height, transactions, times: committedMs === undefined ? {} : { committedMs } }) as unknown as ViewRow;

test('blocks are read once, when they are committed and have transactions, the newest first', () => {
  const views = [row(4, 1, 10), row(5, 2, 20), row(6, 0, 30), row(7, 1, 40), row(8, 1, undefined)];
  expect(heightsToRead(views, 4)).toEqual([7, 5]);
  expect(heightsToRead(views, 7)).toEqual([]);
});

test('a round reads few blocks, however many were committed since', () => {
  const views = Array.from({ length: 50 }, (_, i) => row(i + 1, 1, i + 1));
  expect(heightsToRead(views, 0)).toEqual([50, 49, 48, 47]);
});

test('events are those of the application, of calls alone, the newest first', async () => {
  const event = (application: string, number: number) => ({ application, event: number, body: '0x' });
  const blocks: Readonly<Record<number, unknown>> = {
    7: [{ id: '0x71', height: 7, kinds: ['call'] }],
    5: [
      { id: '0x51', height: 5, kinds: ['transfer'] },
      { id: '0x52', height: 5, kinds: ['call', 'call'] },
    ],
  };
  const asked: string[] = [];
  const client = {
    blockTransactions: async (height: number) => ({ items: blocks[height], next: null, malformed: [] }),
    transaction: async (id: string) => {
      asked.push(id);
      const events = id === '0x71' ? [event('token', 1)] : [event('token', 2), event('orders', 3), event('token', 4)];
      return { id, status: 'final', events };
    },
  } as unknown as Parameters<typeof readEvents>[0];
  const { signal } = new AbortController();
  const events = await readEvents(client, { application: 'token', heights: [7, 5], signal });
  expect(events.map(({ height, event: { event: number } }) => [height, number])).toEqual([
    [7, 1],
    [5, 4],
    [5, 2],
  ]);
  expect(asked).toEqual(['0x71', '0x52']);
});
