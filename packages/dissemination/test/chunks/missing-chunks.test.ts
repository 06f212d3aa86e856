/** Which chunks a node that catches up requests, and how many at a time. */
import { asId, type ChunkId, hexOf } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createFetchBudget } from '../../src/chunks/fetch-budget.ts';
import { createMissingChunks } from '../../src/chunks/missing-chunks.ts';
import type { StoredChunk } from '../../src/chunks/stored-chunk.ts';
import { ARRIVAL_WAIT_MS } from '../../src/limits.ts';
import { peerKey, settle } from '../harness/network.ts';

const KIB = 1024;
/** What the budget expects of a chunk before it has seen one. */
const CHUNK_BYTES = 64 * KIB;
const RESERVED_MS = 500;
const NO_LIMITS = {
  chunkFetchesMax: 1_000,
  unverifiedBytesMax: 1_000 * CHUNK_BYTES,
  fetchedBytesMax: 1_000 * CHUNK_BYTES,
};

const idOf = (nth: number) => asId<ChunkId>(new Uint8Array(32).fill(nth));

/** Chunks by number, each of a block of its height. */
function arrange(limits: Partial<typeof NO_LIMITS>) {
  let nowMs = 0;
  const timers = new Set<{ readonly atMs: number; readonly action: () => void }>();
  const after = (delayMs: number, action: () => void) => {
    const timer = { atMs: nowMs + delayMs, action };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs, after };
  const asked: number[] = [];
  const serve = new Map<number, () => void>();
  const verify = new Map<string, () => void>();
  let fetchedBytes = 0;
  const budget = createFetchBudget(
    { clock, fetchedBytes: () => fetchedBytes, onRoom: () => missing.goOn() },
    { ...NO_LIMITS, ...limits },
  );
  const missing: ReturnType<typeof createMissingChunks> = createMissingChunks({
    clock,
    budget,
    findLocal: () => undefined,
    fetchChunk: (chunkId) => {
      const nth = chunkId[0] as number;
      asked.push(nth);
      return new Promise((resolve) =>
        serve.set(nth, () => resolve({ from: peerKey(1), bytes: new Uint8Array(CHUNK_BYTES) })),
      );
    },
    addFetched: async (chunkId, bytes) => {
      fetchedBytes += bytes.length;
      return { id: chunkId, hex: hexOf(chunkId), bytes } as StoredChunk;
    },
    verdicts: ({ hex }) => new Promise<void>((resolve) => verify.set(hex, resolve)),
  });
  const waiting = new AbortController();
  return {
    asked,
    want(nth: number, height: number, { signal } = waiting) {
      missing.waitFor({ chunkId: idOf(nth), hint: [], height }, signal).catch(() => {});
    },
    async pass(ms: number) {
      nowMs += ms;
      for (const timer of [...timers]) if (timer.atMs <= nowMs && timers.delete(timer)) timer.action();
      await settle();
    },
    async serve(nth: number) {
      serve.get(nth)?.();
      await settle();
    },
    async verified(nth: number) {
      verify.get(hexOf(idOf(nth)))?.();
      await settle();
    },
    async committed(chunks: number) {
      fetchedBytes -= chunks * CHUNK_BYTES;
      missing.goOn();
      await settle();
    },
  };
}

describe('missing chunks', () => {
  it('are requested in order of height, whatever the order in which they were missed', async () => {
    const world = arrange({ chunkFetchesMax: 1 });
    world.want(0, 1);
    await world.pass(ARRIVAL_WAIT_MS);
    for (const [nth, height] of [
      [1, 9],
      [2, 7],
      [3, 8],
      [4, 7],
    ] as const)
      world.want(nth, height);
    world.want(1, 5);
    await world.pass(ARRIVAL_WAIT_MS);
    for (const nth of [0, 1, 2, 4]) await world.serve(nth);
    expect(world.asked).toEqual([0, 1, 2, 4, 3]);
  });

  it('are not requested while others wait, decoded, for their signatures to be checked', async () => {
    const world = arrange({ unverifiedBytesMax: 2 * CHUNK_BYTES });
    for (const nth of [1, 2, 3, 4]) world.want(nth, nth);
    await world.pass(ARRIVAL_WAIT_MS);
    await world.serve(1);
    await world.serve(2);
    expect(world.asked).toEqual([1, 2]);
    await world.verified(1);
    expect(world.asked).toEqual([1, 2, 3]);
    await world.verified(2);
    expect(world.asked).toEqual([1, 2, 3, 4]);
  });

  it('are requested one by one where one alone takes more than the bound', async () => {
    const world = arrange({ unverifiedBytesMax: CHUNK_BYTES / 2 });
    for (const nth of [1, 2]) world.want(nth, nth);
    await world.pass(ARRIVAL_WAIT_MS);
    expect(world.asked).toEqual([1]);
    await world.serve(1);
    await world.verified(1);
    expect(world.asked).toEqual([1, 2]);
  });

  it('are not requested while too many bytes are here uncommitted, except those of the lowest block', async () => {
    const world = arrange({ fetchedBytesMax: 2 * CHUNK_BYTES });
    const heights = [1, 1, 2, 3];
    for (const [at, height] of heights.entries()) world.want(at + 1, height);
    await world.pass(ARRIVAL_WAIT_MS);
    expect(world.asked).toEqual([1, 2]);
    for (const nth of [1, 2]) await world.serve(nth);
    expect(world.asked).toEqual([1, 2, 3]);
    await world.committed(2);
    expect(world.asked).toEqual([1, 2, 3, 4]);
  });

  it('are requested once they are of the lowest block, whatever is here uncommitted', async () => {
    const world = arrange({ fetchedBytesMax: 0 });
    world.want(1, 4);
    world.want(2, 9);
    await world.pass(ARRIVAL_WAIT_MS);
    expect(world.asked).toEqual([1]);
    world.want(2, 4);
    expect(world.asked).toEqual([1, 2]);
  });

  it('are of the lowest block when no block below waits any more', async () => {
    const world = arrange({ fetchedBytesMax: 0 });
    const [rival, other] = [new AbortController(), new AbortController()];
    world.want(2, 9);
    await world.pass(ARRIVAL_WAIT_MS - 1);
    world.want(1, 4, rival);
    world.want(1, 20);
    world.want(3, 5, other);
    await world.pass(1);
    expect(world.asked).toEqual([]);
    rival.abort();
    expect(world.asked).toEqual([]);
    other.abort();
    expect(world.asked).toEqual([2]);
  });

  it('of no block are within the bound of bytes', async () => {
    const world = arrange({ fetchedBytesMax: CHUNK_BYTES });
    world.want(1, 1);
    await world.pass(ARRIVAL_WAIT_MS);
    await world.serve(1);
    world.want(2, Number.POSITIVE_INFINITY);
    await world.pass(ARRIVAL_WAIT_MS);
    expect(world.asked).toEqual([1]);
    await world.committed(1);
    expect(world.asked).toEqual([1, 2]);
  });

  it('that no peer serves hold up others for half a second', async () => {
    const world = arrange({ unverifiedBytesMax: 2 * CHUNK_BYTES });
    for (const nth of [1, 2, 3]) world.want(nth, nth);
    await world.pass(ARRIVAL_WAIT_MS);
    expect(world.asked).toEqual([1, 2]);
    await world.pass(RESERVED_MS);
    expect(world.asked).toEqual([1, 2, 3]);
  });
});
