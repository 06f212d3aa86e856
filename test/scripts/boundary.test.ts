/** What the end of an epoch cost, from blocks. */
import type { Client } from '@slipstream/client';
import { expect, it } from 'vitest';
import { readBoundary, viewsElsewhere } from '../../scripts/devnet/boundary.ts';

const LAST = 100;
const FIRST_HEIGHT = 50;
const BOUNDARY_HEIGHT = 80;

interface BlockAt {
  readonly height: number;
  readonly view: number;
  readonly timestampMs: number;
}

/** A block each 50 ms and a view each; a block at one of these heights follows so many lost views, of 1 s. */
function chain(lostBefore: ReadonlyMap<number, number>): readonly BlockAt[] {
  const blocks: BlockAt[] = [{ height: 0, view: 0, timestampMs: 0 }];
  for (let height = 1; height <= LAST; height++) {
    const parent = blocks.at(-1) as BlockAt;
    const lost = lostBefore.get(height) ?? 0;
    blocks.push({ height, view: parent.view + 1 + lost, timestampMs: parent.timestampMs + 50 + 1_000 * lost });
  }
  return blocks;
}

/** Serves pages, newest first. */
function clientOf(blocks: readonly BlockAt[]): Client {
  const newestFirst = blocks.toReversed().map((block) => ({ block }));
  return {
    block: async (height: number) => {
      if (height < 0) throw new RangeError('a height is not negative');
      return { block: blocks[height] };
    },
    blocks: async ({ limit, cursor = '0' }: { limit: number; cursor?: string }) => {
      const end = Number(cursor) + Math.min(limit, 7);
      return { items: newestFirst.slice(Number(cursor), end), next: end < newestFirst.length ? String(end) : null };
    },
  } as unknown as Client;
}

it('lost views are counted at the boundary, around it or elsewhere, each once', async () => {
  const at = BOUNDARY_HEIGHT + 1;
  const around = [BOUNDARY_HEIGHT - 11, at + 4];
  const outside = [BOUNDARY_HEIGHT - 12, at + 5];
  const before = FIRST_HEIGHT;
  const lost = new Map([[at, 2], ...[...around, ...outside, before].map((height) => [height, 1] as const)]);
  const client = clientOf(chain(lost));
  const boundary = await readBoundary(client, at);
  expect(boundary).toMatchObject({ height: BOUNDARY_HEIGHT, viewsLost: 2, viewsLostAround: 4, gapMs: 2_050 });
  expect(await viewsElsewhere(client, FIRST_HEIGHT, [boundary])).toEqual({
    blocks: LAST - FIRST_HEIGHT - 17,
    blockMs: 50,
    lost: 2,
  });
});

it('reads an epoch that ended soon after the genesis', async () => {
  const boundary = await readBoundary(clientOf(chain(new Map([[5, 1]]))), 9);
  expect(boundary).toMatchObject({ height: 8, viewsLost: 0, viewsLostAround: 1 });
});

it('refuses a boundary whose following blocks are not there yet, and a range that is all boundary', async () => {
  const client = clientOf(chain(new Map()));
  await expect(readBoundary(client, LAST - 3)).rejects.toThrow('a block is missing');
  const boundary = await readBoundary(client, BOUNDARY_HEIGHT + 1);
  const allAround = [boundary, ...[0, 1].map((at) => ({ ...boundary, height: BOUNDARY_HEIGHT + 17 * (at + 1) }))];
  await expect(viewsElsewhere(client, BOUNDARY_HEIGHT - 12, allAround)).rejects.toThrow('away from a boundary');
});
