import type { PeerKey } from '@slipstream/ports';
import { asId, type ChunkId } from '@slipstream/types';
import { describe, expect, it } from 'vitest';
import { createHedgedFetch } from '../../src/index.ts';
import { peerKey, settle } from '../harness/network.ts';

const CHUNK = asId<ChunkId>(new Uint8Array(32));
const BYTES = new Uint8Array([1, 2, 3]);

function arrange(
  behaviour: Readonly<Record<number, 'has' | 'has-not' | 'fails' | 'silent'>>,
  disconnected: number[] = [],
  {
    below = (bound: number) => bound - 1,
    fullNodes = [] as readonly number[],
    ...parts
  }: Partial<Parameters<typeof createHedgedFetch>[0]> & {
    readonly below?: (bound: number) => number;
    readonly fullNodes?: readonly number[];
  } = {},
) {
  const asked: PeerKey[] = [];
  let timer: (() => void) | undefined;
  const fetchChunk = createHedgedFetch({
    transport: {
      peers: () =>
        Object.keys(behaviour).map((index) => ({
          peer: peerKey(Number(index)),
          connected: !disconnected.includes(Number(index)),
          blocked: false,
          address: undefined,
          roundTripMs: undefined,
          role: fullNodes.includes(Number(index)) ? ('full-node' as const) : ('validator' as const),
          bytesIn: 0,
          bytesOut: 0,
          framesIn: 0,
          framesOut: 0,
          framesDropped: 0,
          queuedBytes: 0,
        })),
    },
    clock: {
      wallMs: () => 0,
      monotonicMs: () => 0,
      after(_, action) {
        timer = action;
        return () => {
          timer = undefined;
        };
      },
    },
    random: { bytes: (length) => new Uint8Array(length), below, unit: () => 0 },
    ask(peer) {
      asked.push(peer);
      const index = Object.keys(behaviour).find((key) => peerKey(Number(key)) === peer);
      switch (behaviour[Number(index)]) {
        case 'has':
          return Promise.resolve(BYTES);
        case 'has-not':
          return Promise.resolve(undefined);
        case 'fails':
          return Promise.reject(new Error('cut'));
        default:
          return new Promise(() => undefined);
      }
    },
    ...parts,
  });
  const tick = async () => {
    const due = timer;
    timer = undefined;
    due?.();
    await settle();
  };
  return { fetchChunk, asked, tick, hasTimer: () => timer !== undefined };
}

describe('a hedged fetch', () => {
  it('queries the hinted peers first, in their order', async () => {
    const { fetchChunk, asked } = arrange({ 1: 'has', 2: 'has-not', 3: 'has-not' });
    const hint = [peerKey(3), peerKey(2), peerKey(3)];
    const fetched = await fetchChunk(CHUNK, hint, new AbortController().signal);
    expect(fetched).toEqual({ from: peerKey(1), bytes: BYTES });
    expect(asked).toEqual([peerKey(3), peerKey(2), peerKey(1)]);
  });

  it('queries validators before full nodes: unresponsive full nodes cannot withhold a chunk', async () => {
    const fullNodes = Array.from({ length: 64 }, (_, i) => i);
    const unresponsive = Object.fromEntries(fullNodes.map((index) => [index, 'silent' as const]));
    const { fetchChunk, asked, tick } = arrange({ ...unresponsive, 70: 'silent', 71: 'has' }, [], { fullNodes });
    const fetching = fetchChunk(CHUNK, [peerKey(70)], new AbortController().signal);
    await tick();
    expect(asked).toEqual([peerKey(70), peerKey(71)]);
    expect(await fetching).toEqual({ from: peerKey(71), bytes: BYTES });
  });

  it('queries the signers of a certificate in its own order: unresponsive ones at its head withhold no chunk', async () => {
    const signers = Array.from({ length: 67 }, (_, i) => i);
    const behaviour = Object.fromEntries(
      signers.map((index) => [index, index < 33 ? ('silent' as const) : ('has' as const)]),
    );
    let drawn = 1;
    const below = (bound: number) => {
      drawn = (drawn * 48_271) % 0x7fff_ffff;
      return drawn % bound;
    };
    for (let times = 0; times < 20; times++) {
      const { fetchChunk, tick, asked } = arrange(behaviour, [], { below });
      const fetching = fetchChunk(CHUNK, signers.map(peerKey), new AbortController().signal);
      for (let ticks = 0; ticks < 7; ticks++) await tick();
      expect(asked[0]).toBe(peerKey(0));
      expect(asked.some((peer) => signers.slice(33).map(peerKey).includes(peer))).toBe(true);
      expect(await fetching).toMatchObject({ bytes: BYTES });
    }
  });

  it('queries the next peer while an unresponsive one delays its answer', async () => {
    const { fetchChunk, tick, asked, hasTimer } = arrange({ 1: 'silent', 2: 'has' });
    const fetching = fetchChunk(CHUNK, [peerKey(1)], new AbortController().signal);
    await settle();
    expect(asked).toEqual([peerKey(1)]);
    await tick();
    expect(await fetching).toEqual({ from: peerKey(2), bytes: BYTES });
    expect(hasTimer()).toBe(false);
  });

  it('ends without a chunk when every peer has failed or has none', async () => {
    const { fetchChunk } = arrange({ 1: 'has-not', 2: 'fails' });
    expect(await fetchChunk(CHUNK, [], new AbortController().signal)).toBeUndefined();
    expect(await arrange({}).fetchChunk(CHUNK, [], new AbortController().signal)).toBeUndefined();
  });

  it('skips disconnected peers', async () => {
    const { fetchChunk, asked } = arrange({ 1: 'has', 2: 'has' }, [1]);
    await fetchChunk(CHUNK, [peerKey(1)], new AbortController().signal);
    expect(asked).toEqual([peerKey(2)]);
  });

  it('ends with the reason of the signal', async () => {
    const { fetchChunk, hasTimer } = arrange({ 1: 'silent' });
    const abort = new AbortController();
    const fetching = fetchChunk(CHUNK, [], abort.signal);
    abort.abort(new Error('dropped'));
    await expect(fetching).rejects.toThrow('dropped');
    expect(hasTimer()).toBe(false);
    await expect(fetchChunk(CHUNK, [], abort.signal)).rejects.toThrow('dropped');
  });
});

describe('a hedged fetch of many chunks at once', () => {
  const idOf = (nth: number) => asId<ChunkId>(new Uint8Array(32).fill(nth));

  /** Peers 1 and 2 answer when the test says so. */
  function arrangeQueue() {
    let nowMs = 0;
    const timers = new Set<{ readonly atMs: number; readonly action: () => void }>();
    const asked: string[] = [];
    const answers = new Map<string, (bytes: Uint8Array) => void>();
    const { fetchChunk } = arrange({ 1: 'silent', 2: 'silent' }, [], {
      clock: {
        wallMs: () => 0,
        monotonicMs: () => nowMs,
        after(delayMs, action) {
          const timer = { atMs: nowMs + delayMs, action };
          timers.add(timer);
          return () => void timers.delete(timer);
        },
      },
      ask(peer, chunkId) {
        const key = `${peer === peerKey(1) ? 1 : 2}/${chunkId[0]}`;
        asked.push(key);
        return new Promise((resolve) => answers.set(key, resolve));
      },
    });
    const fetching = [1, 2, 3, 4, 5, 6].map((nth) =>
      fetchChunk(idOf(nth), [peerKey(1), peerKey(2)], new AbortController().signal),
    );
    return {
      asked,
      fetching,
      async answer(key: string) {
        answers.get(key)?.(BYTES);
        await settle();
      },
      async pass(ms: number) {
        nowMs += ms;
        for (const timer of [...timers]) if (timer.atMs <= nowMs && timers.delete(timer)) timer.action();
        await settle();
      },
    };
  }

  it('requests none again from others while the peer serves its queue', async () => {
    const { asked, answer, pass } = arrangeQueue();
    for (const nth of [1, 2, 3]) {
      await pass(200);
      await answer(`1/${nth}`);
    }
    expect(asked).toEqual(['1/1', '1/2', '1/3', '1/4', '1/5', '1/6']);
  });

  it('requests all again from others when the peer serves nothing', async () => {
    const { asked, pass } = arrangeQueue();
    await pass(250);
    expect(asked.filter((key) => key.startsWith('2/'))).toHaveLength(6);
  });

  it('requests a withheld chunk from others within a second, though the peer serves the rest', async () => {
    const { asked, answer, pass, fetching } = arrangeQueue();
    for (const nth of [2, 3, 4]) {
      await pass(200);
      await answer(`1/${nth}`);
    }
    await pass(200);
    await pass(250);
    expect(asked).toContain('2/1');
    await answer('2/1');
    expect(await fetching[0]).toEqual({ from: peerKey(2), bytes: BYTES });
  });
});
