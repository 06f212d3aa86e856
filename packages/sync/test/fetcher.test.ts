import type { PeerKey } from '@slipstream/ports';
import { createRandom } from '@slipstream/simulator';
import { asId, type BlockId, type SyncResponse } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { committeeOf, peerOf } from '../../consensus/test/core-world.ts';
import { createFetcher } from '../src/requests/fetcher.ts';

const SIZE = 13;
const query = { type: 'block', blockId: asId<BlockId>(new Uint8Array(32)) } as const;

function newFetcher() {
  const asked: { readonly peer: PeerKey; readonly answer: (response?: SyncResponse) => void }[] = [];
  const fetcher = createFetcher(
    {
      transport: {
        peers: () => Array.from({ length: SIZE }, (_, i) => ({ peer: peerOf(i), connected: i !== 12 }) as never),
      },
      random: createRandom(1),
      client: {
        ask: (peer) => new Promise((answer) => asked.push({ peer, answer: (response) => answer(response) })),
      },
      committee: committeeOf(Array.from({ length: SIZE }, () => 1)),
      self: 0,
    },
    () => {},
  );
  return { fetcher, asked };
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
    await new Promise<void>((resolve) => setImmediate(resolve));
    fetcher.fetch(query, [3]);
    expect(asked.filter(({ peer }) => peer === peerOf(3))).toHaveLength(2);
  });
});
