import type { PeerKey } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { asId, type BlockId, type SyncResponse } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { committeeOf, peerOf } from '../../consensus/test/core-world.ts';
import { createFetcher } from '../src/requests/fetcher.ts';

const SIZE = 13;
const query = { type: 'block', blockId: asId<BlockId>(new Uint8Array(32)) } as const;

const RANGE = { type: 'finalized', from: 5, to: 68 } as const;
const EMPTY: SyncResponse = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A full node. */
const otherOf = (i: number) => `other ${i}` as PeerKey;

interface World {
  /** Connected members; default: all but the last. */
  readonly members?: number;
  /** Connected others, with the heights that they reported. */
  readonly others?: readonly (number | undefined)[];
}

function newFetcher({ members = SIZE - 1, others = [] }: World = {}) {
  const time = { nowMs: 0 };
  const asked: { readonly peer: PeerKey; readonly answer: (response?: SyncResponse) => void }[] = [];
  const fetcher = createFetcher(
    {
      transport: {
        peers: () => [
          ...Array.from({ length: SIZE }, (_, i) => ({ peer: peerOf(i), connected: i < members }) as never),
          ...others.map((_, i) => ({ peer: otherOf(i), connected: true }) as never),
        ],
      },
      random: createRandom(1),
      clock: { monotonicMs: () => time.nowMs },
      client: {
        ask: (peer) => new Promise((answer) => asked.push({ peer, answer: (response) => answer(response) })),
      },
      committee: committeeOf(Array.from({ length: SIZE }, () => 1)),
      self: 0,
      reportedHeights: new Map(others.flatMap((height, i) => (height === undefined ? [] : [[otherOf(i), height]]))),
    },
    () => {},
  );
  return { fetcher, asked, time };
}

describe('a fetch', () => {
  it('queries more than a third of the weight at once, never itself and never an offline peer', () => {
    const { fetcher, asked } = newFetcher();
    fetcher.fetch(query, []);
    expect(asked).toHaveLength(5);
    expect(asked.map(({ peer }) => peer)).not.toContain(peerOf(0));
    expect(asked.map(({ peer }) => peer)).not.toContain(peerOf(12));
  });

  it('skips peers with pending queries: unresponsive members at the head of a list delay no other', () => {
    const { fetcher, asked } = newFetcher();
    const signers = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    fetcher.fetch(query, signers);
    fetcher.fetch(query, signers);
    const peers = asked.map(({ peer }) => peer);
    expect(new Set(peers).size).toBe(peers.length);
    expect(peers.length).toBe(10);
    for (const member of signers) expect(peers).toContain(peerOf(member));
  });

  it('queries again peers that have answered', async () => {
    const { fetcher, asked } = newFetcher();
    fetcher.fetch(query, [3]);
    for (const { answer } of asked) answer(undefined);
    await settled();
    fetcher.fetch(query, [3]);
    expect(asked.filter(({ peer }) => peer === peerOf(3))).toHaveLength(2);
  });

  it('Y27: asks a peer without a block of a range again after 250 ms, doubled each time up to 30 s, until it has one', async () => {
    const { fetcher, asked, time } = newFetcher();
    const waited: number[] = [];
    async function untilAsked(response: SyncResponse): Promise<void> {
      const [before, sinceMs] = [asked.length, time.nowMs];
      for (;;) {
        for (let member = 1; member < SIZE; member++) fetcher.fetch(RANGE, [member]);
        if (asked.length > before) break;
        time.nowMs += 10;
      }
      waited.push(time.nowMs - sinceMs);
      for (const { answer } of asked) answer(response);
      await settled();
    }
    for (let round = 0; round < 10; round++) await untilAsked(EMPTY);
    expect(waited).toEqual([0, 250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
    await untilAsked({ ...EMPTY, blocks: [{} as SyncResponse['blocks'][number]] });
    await untilAsked(EMPTY);
    expect(waited.at(-1)).toBe(0);
  });

  it('queries peers that are no members only where members do not suffice, and only those that may have it', () => {
    const enough = newFetcher({ others: [100, 100] });
    enough.fetcher.fetch(query, []);
    enough.fetcher.fetch(RANGE, []);
    expect(enough.asked.map(({ peer }) => peer).filter((peer) => peer.startsWith('other'))).toEqual([]);
    const alone = newFetcher({ members: 0, others: [4, 5, undefined, 100, 7, 8] });
    alone.fetcher.fetch(RANGE, [1, 2]);
    expect(alone.asked).toHaveLength(2);
    for (const { peer } of alone.asked) expect([1, 3, 4, 5].map(otherOf)).toContain(peer);
    alone.fetcher.fetch(query, [1, 2]);
    expect(alone.asked).toHaveLength(5);
    expect(alone.asked.map(({ peer }) => peer)).not.toContain(otherOf(2));
  });

  it('turns from members without a range to another peer', async () => {
    const { fetcher, asked } = newFetcher({ members: 3, others: [100] });
    fetcher.fetch(RANGE, []);
    expect(asked.map(({ peer }) => peer).sort()).toEqual([peerOf(1), peerOf(2)].sort());
    for (const { answer } of asked.splice(0)) answer(EMPTY);
    await settled();
    fetcher.fetch(RANGE, []);
    expect(asked.map(({ peer }) => peer)).toEqual([otherOf(0)]);
  });

  it('remembers the empty ranges of 2,048 peers, the latest ones', async () => {
    const { fetcher, asked } = newFetcher({ members: 0, others: new Array(2050).fill(100) });
    const counts = new Map<string, number>();
    for (let round = 0; round < 1030; round++) {
      fetcher.fetch(RANGE, []);
      for (const { peer, answer } of asked.splice(0)) {
        counts.set(peer, (counts.get(peer) ?? 0) + 1);
        answer(EMPTY);
      }
      await settled();
    }
    expect(counts.size).toBe(2050);
    expect(Math.max(...counts.values())).toBeGreaterThan(1);
  });
});
