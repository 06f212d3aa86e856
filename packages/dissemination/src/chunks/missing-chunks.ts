/**
 * Missing chunks: callers wait for a chunk, which is requested once at a time.
 *
 *   wait ARRIVAL_WAIT_MS (it may be on its way) --> due --budget--> request --> not served? pause, doubling --> due ...
 *
 * A wait ends when the chunk arrives by any way, or no caller waits. Beyond the budget (fetch-budget.ts) chunks wait and none is refused: a
 * node that catches up needs the chunks of hundreds of blocks. Consensus bounds their number by the blocks it knows.
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import { type ChunkId, hexOf } from '@slipstream/types';
import type { FetchChunk } from '../components.ts';
import { DisseminationError } from '../errors.ts';
import { ARRIVAL_WAIT_MS, FETCH_RETRY_MS, FETCH_RETRY_MS_MAX } from '../limits.ts';
import { createChunksByHeight } from './chunks-by-height.ts';
import type { FetchBudget } from './fetch-budget.ts';
import type { StoredChunk } from './stored-chunk.ts';

export interface MissingChunks {
  /** Rejects with the signal's reason, or DisseminationError `stopped`. */
  waitFor(wanted: WantedChunk, signal: AbortSignal): Promise<StoredChunk>;
  arrived(chunk: StoredChunk): void;
  /** The budget may allow more. */
  goOn(): void;
  stop(): void;
  readonly waiting: number;
}

interface WantedChunk {
  readonly chunkId: ChunkId;
  /** Of the block that needs it. */
  readonly height: number;
  readonly hint: readonly PeerKey[];
}

interface Waiter {
  readonly height: number;
  resolve(chunk: StoredChunk): void;
  reject(cause: unknown): void;
}

interface MissingChunk {
  readonly chunkId: ChunkId;
  readonly waiters: Set<Waiter>;
  readonly asking: AbortController;
  hint: readonly PeerKey[];
  /** Of the lowest block that needs it. */
  height: number;
  cancelTimer: () => void;
  pauseMs: number;
}

interface MissingChunksParts {
  readonly clock: Clock;
  findLocal(chunkId: ChunkId): StoredChunk | undefined;
  readonly fetchChunk: FetchChunk;
  /** Undefined: the peer served another chunk. */
  addFetched(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
  verdicts(chunk: StoredChunk): Promise<unknown>;
  readonly budget: FetchBudget;
}

export function createMissingChunks(parts: MissingChunksParts): MissingChunks {
  const { clock, findLocal, fetchChunk, addFetched, verdicts, budget } = parts;
  const missing = new Map<string, MissingChunk>();
  const all = createChunksByHeight();
  const due = createChunksByHeight();

  function resolveMissing(hex: string, settle: (waiter: Waiter) => void): void {
    const wanted = missing.get(hex);
    if (wanted === undefined) return;
    missing.delete(hex);
    all.delete(hex, wanted.height);
    due.delete(hex, wanted.height);
    wanted.cancelTimer();
    wanted.asking.abort();
    for (const waiter of wanted.waiters) settle(waiter);
  }

  function startWaiting(hex: string, { chunkId, hint, height }: WantedChunk): MissingChunk {
    const wanted: MissingChunk = {
      chunkId,
      hint,
      height,
      waiters: new Set(),
      asking: new AbortController(),
      cancelTimer: clock.after(ARRIVAL_WAIT_MS, () => becomeDue(hex)),
      pauseMs: FETCH_RETRY_MS,
    };
    missing.set(hex, wanted);
    all.add(hex, height);
    return wanted;
  }

  function waitersChanged(hex: string, wanted: MissingChunk): void {
    if (missing.get(hex) !== wanted) return;
    if (wanted.waiters.size === 0) return finish(hex, () => undefined);
    const height = Math.min(...[...wanted.waiters].map((waiter) => waiter.height));
    if (height === wanted.height) return;
    for (const chunks of [all, due]) chunks.move(hex, wanted.height, height);
    wanted.height = height;
    goOn();
  }

  function becomeDue(hex: string): void {
    const wanted = missing.get(hex);
    if (wanted === undefined) return;
    due.add(hex, wanted.height);
    goOn();
  }

  function goOn(): void {
    for (let next = due.lowest(); next !== undefined; next = due.lowest()) {
      const { hex, height } = next;
      const wanted = missing.get(hex);
      // A chunk of no block yet holds up no commit.
      const isLowest = Number.isFinite(height) && height === all.lowest()?.height;
      if (!budget.allows(isLowest)) return;
      due.delete(hex, height);
      if (wanted !== undefined) fetch(hex, wanted);
    }
  }

  function fetch(hex: string, wanted: MissingChunk): void {
    const { chunkId, hint, asking } = wanted;
    const end = budget.begin();
    const attempt = fetchChunk(chunkId, hint, asking.signal).then(async (served) => {
      if (missing.get(hex) !== wanted) return; // no caller waits
      const chunk = served && (await addFetched(chunkId, served.bytes, served.from));
      if (chunk === undefined) return;
      budget.arrived(chunk.bytes.length, verdicts(chunk));
      arrived(chunk);
    });
    const onSettled = () => {
      end();
      goOn();
      if (missing.get(hex) !== wanted) return;
      wanted.hint = [...hint.slice(1), ...hint.slice(0, 1)];
      wanted.cancelTimer = clock.after(wanted.pauseMs, () => becomeDue(hex));
      wanted.pauseMs = Math.min(2 * wanted.pauseMs, FETCH_RETRY_MS_MAX);
    };
    attempt.then(onSettled, onSettled);
  }

  function finish(hex: string, settle: (waiter: Waiter) => void): void {
    resolveMissing(hex, settle);
    goOn();
  }

  const arrived = (chunk: StoredChunk): void => finish(chunk.hex, ({ resolve }) => resolve(chunk));

  async function waitFor(asked: WantedChunk, signal: AbortSignal): Promise<StoredChunk> {
    signal.throwIfAborted();
    const hex = hexOf(asked.chunkId);
    const known = findLocal(asked.chunkId);
    if (known) return known;
    const wanted = missing.get(hex) ?? startWaiting(hex, asked);
    return joinWaiters(wanted.waiters, asked.height, signal, () => waitersChanged(hex, wanted));
  }

  return {
    waitFor,
    arrived,
    goOn,
    stop() {
      const stopped = new DisseminationError('stopped', 'the node stopped while it waited for a chunk', {});
      for (const hex of [...missing.keys()]) resolveMissing(hex, ({ reject }) => reject(stopped));
    },
    get waiting() {
      return missing.size;
    },
  };
}

/** `changed`: a waiter joined, or left. */
function joinWaiters(
  waiters: Set<Waiter>,
  height: number,
  signal: AbortSignal,
  changed: () => void,
): Promise<StoredChunk> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      signal.removeEventListener('abort', onAbort);
      waiters.delete(waiter);
      act();
    };
    const waiter: Waiter = {
      height,
      resolve: (chunk) => settle(() => resolve(chunk)),
      reject: (cause) => settle(() => reject(cause)),
    };
    const onAbort = () => {
      waiter.reject(signal.reason);
      changed();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    waiters.add(waiter);
    changed();
  });
}
