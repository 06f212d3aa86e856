/**
 * Missing chunks: callers wait for a chunk, which is requested once at a time.
 *
 *   wait ARRIVAL_WAIT_MS (it may be on its way) --> queue --> request --> not served? pause, doubling --> queue ...
 *
 * A wait ends when the chunk arrives by any way, or no caller waits. Beyond chunkFetchesMax, chunks queue and none is refused: a node that
 * catches up needs the chunks of a thousand blocks. Consensus bounds the queue by the blocks it knows.
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import { type ChunkId, hexOf } from '@slipstream/types';
import type { FetchChunk } from '../components.ts';
import { DisseminationError } from '../errors.ts';
import { ARRIVAL_WAIT_MS, type DisseminationLimits, FETCH_RETRY_MS, FETCH_RETRY_MS_MAX } from '../limits.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface MissingChunks {
  /** Rejects with the signal's reason, or DisseminationError `stopped`. */
  waitFor(chunkId: ChunkId, hint: readonly PeerKey[], signal: AbortSignal): Promise<StoredChunk>;
  arrived(chunk: StoredChunk): void;
  stop(): void;
  readonly waiting: number;
}

interface Waiter {
  resolve(chunk: StoredChunk): void;
  reject(cause: unknown): void;
}

interface MissingChunk {
  readonly chunkId: ChunkId;
  readonly waiters: Set<Waiter>;
  readonly asking: AbortController;
  hint: readonly PeerKey[];
  cancelTimer: () => void;
  pauseMs: number;
}

interface MissingChunksParts {
  readonly clock: Clock;
  findLocal(chunkId: ChunkId): StoredChunk | undefined;
  readonly fetchChunk: FetchChunk;
  /** Undefined: the peer served another chunk. */
  addFetched(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
}

export function createMissingChunks(
  { clock, findLocal, fetchChunk, addFetched }: MissingChunksParts,
  { chunkFetchesMax }: Pick<DisseminationLimits, 'chunkFetchesMax'>,
): MissingChunks {
  const missing = new Map<string, MissingChunk>();
  /** Due chunks beyond chunkFetchesMax, oldest first. */
  const fetchQueue = new Set<string>();
  let fetching = 0;

  function resolveMissing(hex: string, settle: (waiter: Waiter) => void): void {
    const wanted = missing.get(hex);
    if (wanted === undefined) return;
    missing.delete(hex);
    fetchQueue.delete(hex);
    wanted.cancelTimer();
    wanted.asking.abort();
    for (const waiter of wanted.waiters) settle(waiter);
  }

  function startWaiting(hex: string, chunkId: ChunkId, hint: readonly PeerKey[]): MissingChunk {
    const wanted: MissingChunk = {
      chunkId,
      hint,
      waiters: new Set(),
      asking: new AbortController(),
      cancelTimer: clock.after(ARRIVAL_WAIT_MS, () => fetch(hex)),
      pauseMs: FETCH_RETRY_MS,
    };
    missing.set(hex, wanted);
    return wanted;
  }

  function fetch(hex: string): void {
    const wanted = missing.get(hex);
    if (wanted === undefined) return;
    if (fetching >= chunkFetchesMax) {
      fetchQueue.add(hex);
      return;
    }
    fetching += 1;
    const { chunkId, hint, asking } = wanted;
    const attempt = fetchChunk(chunkId, hint, asking.signal).then(async (served) => {
      if (missing.get(hex) !== wanted) return; // no caller waits
      const chunk = served && (await addFetched(chunkId, served.bytes, served.from));
      if (chunk) arrived(chunk);
    });
    const onSettled = () => {
      fetching -= 1;
      fetchNext();
      if (missing.get(hex) !== wanted) return;
      wanted.hint = [...hint.slice(1), ...hint.slice(0, 1)];
      wanted.cancelTimer = clock.after(wanted.pauseMs, () => fetch(hex));
      wanted.pauseMs = Math.min(2 * wanted.pauseMs, FETCH_RETRY_MS_MAX);
    };
    attempt.then(onSettled, onSettled);
  }

  function fetchNext(): void {
    const [next] = fetchQueue;
    if (next === undefined) return;
    fetchQueue.delete(next);
    fetch(next);
  }

  function arrived(chunk: StoredChunk): void {
    resolveMissing(chunk.hex, ({ resolve }) => resolve(chunk));
  }

  async function waitFor(chunkId: ChunkId, hint: readonly PeerKey[], signal: AbortSignal): Promise<StoredChunk> {
    signal.throwIfAborted();
    const hex = hexOf(chunkId);
    const known = findLocal(chunkId);
    if (known) return known;
    const wanted = missing.get(hex) ?? startWaiting(hex, chunkId, hint);
    return new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        signal.removeEventListener('abort', onAbort);
        wanted.waiters.delete(waiter);
        act();
      };
      const waiter: Waiter = {
        resolve: (chunk) => settle(() => resolve(chunk)),
        reject: (cause) => settle(() => reject(cause)),
      };
      const onAbort = () => {
        waiter.reject(signal.reason);
        if (wanted.waiters.size === 0 && missing.get(hex) === wanted) resolveMissing(hex, () => undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      wanted.waiters.add(waiter);
    });
  }

  return {
    waitFor,
    arrived,
    stop() {
      const stopped = new DisseminationError('stopped', 'the node stopped while it waited for a chunk', {});
      for (const hex of [...missing.keys()]) resolveMissing(hex, ({ reject }) => reject(stopped));
    },
    get waiting() {
      return missing.size;
    },
  };
}
