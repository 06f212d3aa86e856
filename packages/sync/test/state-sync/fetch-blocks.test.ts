/** From peers that are honest, slow, or have none. */
import type { PeerKey } from '@slipstream/ports';
import type { SyncResponse } from '@slipstream/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { fetchRecentBlocks } from '../../src/state-sync/fetch-blocks.ts';
import type { Sources } from '../../src/state-sync/sources.ts';
import { packReceipts } from '../../src/state-sync/wire.ts';
import { GENESIS_HASH, type SnapshotChain, snapshotChain } from './snapshot-chain.ts';

const HISTORY = 250;
const TIP = 260;
/** Just before the timeout. */
const SLOW_MS = 4900;
const NOTHING: SyncResponse = { requestId: 1, blocks: [], certificates: [], chunks: [], more: false };

let chain: SnapshotChain;
beforeAll(async () => {
  chain = await snapshotChain(TIP);
});

interface Served {
  readonly tookMs: number;
  /** Per answer; 0: none to serve. Undefined: no answer. */
  readonly blocks: number | undefined;
}

const HONEST: Served = { tookMs: 10, blocks: 64 };

/** Returns the time taken. */
async function fetched(peers: readonly Served[], isConnected: (nowMs: number) => boolean = () => true, earliest = 0) {
  let nowMs = 0;
  const clock = {
    monotonicMs: () => nowMs,
    after(delayMs: number, action: () => void) {
      nowMs += delayMs;
      setImmediate(action);
      return () => {};
    },
  };
  const names = peers.map((_, i) => `peer ${i}` as PeerKey);
  const sources: Sources = {
    available: () => (isConnected(nowMs) ? names : []),
    async ask(peer, { from = 0, to = 0 }) {
      const { tookMs, blocks: most } = peers[names.indexOf(peer)] as Served;
      if (!isConnected(nowMs)) return undefined;
      nowMs += tookMs;
      if (most === undefined) return undefined;
      if (from < earliest) return NOTHING;
      const blocks = chain.blocks.slice(from, Math.min(to + 1, from + most));
      return { ...NOTHING, blocks, chunks: [packReceipts(blocks.map(() => []))] };
    },
    failed: () => {},
    succeeded: () => {},
    block: () => {},
    stop: async () => {},
  };
  const blocks = await fetchRecentBlocks({ sources, clock, genesisHash: GENESIS_HASH }, chain.manifest, HISTORY);
  return { heights: blocks.map(({ block }) => block.height), tookMs: nowMs };
}

describe('the blocks below a snapshot', () => {
  test('are fetched down to where the oldest file ends', async () => {
    const { heights } = await fetched([HONEST]);
    expect(heights).toEqual(Array.from({ length: HISTORY + 1 }, (_, i) => TIP - HISTORY + i));
  });

  test('are fetched also when unneeded blocks below were pruned after the manifest was made', async () => {
    const needed = Array.from({ length: HISTORY + 1 }, (_, i) => TIP - HISTORY + i);
    const { heights } = await fetched([HONEST, HONEST], () => true, TIP - HISTORY);
    expect(heights).toEqual(needed);
    await expect(fetched([HONEST, HONEST], () => true, TIP - HISTORY + 1)).rejects.toThrow(
      'no peer serves the block of height 10',
    );
  });

  test('are fetched from the fastest peer: one that serves a block in five seconds costs one response', async () => {
    const slow = { tookMs: SLOW_MS, blocks: 1 };
    for (const peers of [
      [slow, HONEST, HONEST, HONEST],
      [HONEST, slow, HONEST, HONEST],
    ]) {
      const { heights, tookMs } = await fetched(peers);
      expect(heights.length).toBe(HISTORY + 1);
      expect(tookMs).toBeLessThan(2 * SLOW_MS);
    }
  });

  test('are fetched despite peers that have none or do not respond; these are queried again last', async () => {
    const { heights, tookMs } = await fetched([{ tookMs: 10, blocks: 0 }, { tookMs: 5000, blocks: undefined }, HONEST]);
    expect(heights.length).toBe(HISTORY + 1);
    expect(tookMs).toBeLessThan(6000);
    await expect(fetched([{ tookMs: 10, blocks: 0 }])).rejects.toMatchObject({ code: 'state-incomplete' });
  });

  test('are waited for, for a limited time, while all connections are lost', async () => {
    const isLost = (untilMs: number) => (nowMs: number) => nowMs < 15 || nowMs > untilMs;
    const { heights } = await fetched([HONEST], isLost(5_000));
    expect(heights.length).toBe(HISTORY + 1);
    await expect(fetched([HONEST], isLost(60_000))).rejects.toMatchObject({ code: 'state-incomplete' });
  });
});
