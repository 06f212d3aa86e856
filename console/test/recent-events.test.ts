import { expect, test } from 'vitest';
import { createEventReads } from '../src/views/applications/recent-events.ts';

/** A node whose ledger has one event a block up to a height; answers by page as the API does. */
function nodeWith(chain: { height: number; prunedBelow?: number }) {
  const asked: (string | undefined)[] = [];
  const client = {
    async call(_: string, { query: { after, limit } }: { query: { after?: string; limit: number } }) {
      asked.push(after);
      const from = Number(after?.split('-')[0] ?? 1);
      if (after !== undefined && from < (chain.prunedBelow ?? 0)) throw Object.assign(new Error(), { code: 'pruned' });
      const heights = Array.from({ length: Math.max(0, chain.height - from + 1) }, (_, i) => from + i);
      const items = heights.slice(0, limit).map((height) => ({
        event: 0,
        body: '0x',
        height,
        transactionId: `0x${height}`,
        cursor: `${height + 1}-0-0`,
      }));
      const next = items.at(-1)?.cursor ?? `${chain.height + 1}-0-0`;
      return { items, next, more: heights.length > limit, height: chain.height };
    },
  };
  return { asked, client: client as unknown as Parameters<typeof createEventReads>[0] };
}

const { signal } = new AbortController();
const heightsOf = (events: readonly { readonly height: number }[]) => events.map(({ height }) => height);

test('events of 64 blocks before, then each once, the newest first', async () => {
  const chain = { height: 80 };
  const { client, asked } = nodeWith(chain);
  const reads = createEventReads(client, 'token');
  expect(heightsOf(await reads.read(signal))).toEqual(Array.from({ length: 20 }, (_, i) => 80 - i));
  expect(asked).toEqual([undefined, '16-0-0', '66-0-0']);
  expect(await reads.read(signal)).toEqual([]);
  chain.height = 83;
  expect(heightsOf(await reads.read(signal))).toEqual([83, 82, 81]);
});

test('a round reads few pages, however many events came since, and the next one goes on at the newest block', async () => {
  const chain = { height: 10 };
  const { client, asked } = nodeWith(chain);
  const reads = createEventReads(client, 'token');
  await reads.read(signal);
  chain.height = 5_000;
  asked.length = 0;
  expect(await reads.read(signal)).toHaveLength(20);
  expect(asked).toHaveLength(4);
  expect(heightsOf(await reads.read(signal))).toEqual([5_000]);
});

test('where blocks are pruned meanwhile, reading begins again; after another error it asks for the same', async () => {
  const chain = { height: 10, prunedBelow: 0 };
  const { client, asked } = nodeWith(chain);
  const reads = createEventReads(client, 'token');
  await reads.read(signal);
  chain.height = 500;
  chain.prunedBelow = 400;
  await expect(reads.read(signal)).rejects.toMatchObject({ code: 'pruned' });
  expect(heightsOf(await reads.read(signal))[0]).toBe(500);
  const failing = createEventReads({ call: () => Promise.reject(new Error('gone')) } as never, 'token');
  await expect(failing.read(signal)).rejects.toThrow('gone');
  expect(asked.at(-1)).toBe('486-0-0');
});
