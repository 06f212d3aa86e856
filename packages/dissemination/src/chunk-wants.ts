/**
 * Chunk wants: whoever needs a chunk that is not here waits for it; each missing chunk is asked for once at a time.
 *
 *   wait arrivalWaitMs (it may be on its way) --> its turn --> ask peers --> not had? pause, doubling --> its turn ...
 *
 * So many are asked for at once; the others wait their turn, oldest first, and are taken if they come meanwhile. None is ever
 * refused: a node that catches up needs the chunks of a thousand blocks, and a block whose chunks nobody has must not cost more than
 * its own votes. How many wait is bounded by the blocks that consensus knows.
 *
 * It ends when the chunk is here, however it came, or when nobody waits any more. A silent proposer holds up nothing: every
 * attempt asks the next ones too.
 */
import type { Clock, PeerKey } from '@slipstream/ports';
import { type ChunkId, hexOf } from '@slipstream/types';
import type { StoredChunk } from './chunk-store.ts';
import type { FetchChunk } from './components.ts';
import { DisseminationError } from './errors.ts';
import type { DisseminationLimits } from './limits.ts';

export interface ChunkWants {
  /** The chunk, now or when it comes. Rejects with the signal's reason, or DisseminationError `stopped`. */
  want(chunkId: ChunkId, hint: readonly PeerKey[], signal: AbortSignal): Promise<StoredChunk>;
  /** A chunk is here. */
  arrived(chunk: StoredChunk): void;
  stop(): void;
  readonly waiting: number;
}

interface Waiter {
  resolve(chunk: StoredChunk): void;
  reject(cause: unknown): void;
}

interface Want {
  readonly chunkId: ChunkId;
  readonly waiters: Set<Waiter>;
  readonly asking: AbortController;
  hint: readonly PeerKey[];
  cancelTimer: () => void;
  pauseMs: number;
}

export interface ChunkWantsParts {
  readonly clock: Clock;
  /** The chunk, if it need not be asked for. */
  here(chunkId: ChunkId): StoredChunk | undefined;
  readonly fetchChunk: FetchChunk;
  /** Checks and stores what was served; undefined when it is not that chunk. */
  take(chunkId: ChunkId, bytes: Uint8Array, from: PeerKey): Promise<StoredChunk | undefined>;
}

export function createChunkWants(
  { clock, here, fetchChunk, take }: ChunkWantsParts,
  limits: Pick<DisseminationLimits, 'arrivalWaitMs' | 'fetchRetryMs' | 'fetchRetryMsMax' | 'chunkFetchesMax'>,
): ChunkWants {
  const wants = new Map<string, Want>();
  /** Those whose time to be asked for came while as many as may be were asked for; oldest first. */
  const line = new Set<string>();
  let underWay = 0;

  function end(hex: string, settle: (waiter: Waiter) => void): void {
    const wanted = wants.get(hex);
    if (wanted === undefined) return;
    wants.delete(hex);
    line.delete(hex);
    wanted.cancelTimer();
    wanted.asking.abort();
    for (const waiter of wanted.waiters) settle(waiter);
  }

  function begin(hex: string, chunkId: ChunkId, hint: readonly PeerKey[]): Want {
    const wanted: Want = {
      chunkId,
      hint,
      waiters: new Set(),
      asking: new AbortController(),
      cancelTimer: clock.after(limits.arrivalWaitMs, () => ask(hex)),
      pauseMs: limits.fetchRetryMs,
    };
    wants.set(hex, wanted);
    return wanted;
  }

  function ask(hex: string): void {
    const wanted = wants.get(hex);
    if (wanted === undefined) return;
    if (underWay >= limits.chunkFetchesMax) {
      line.add(hex);
      return;
    }
    underWay += 1;
    const { chunkId, hint, asking } = wanted;
    const attempt = fetchChunk(chunkId, hint, asking.signal).then(async (served) => {
      if (wants.get(hex) !== wanted) return; // nobody needs it any more: it is not kept
      const chunk = served && (await take(chunkId, served.bytes, served.from));
      if (chunk) arrived(chunk);
    });
    const again = () => {
      underWay -= 1;
      askNext();
      if (wants.get(hex) !== wanted) return;
      wanted.hint = [...hint.slice(1), ...hint.slice(0, 1)];
      wanted.cancelTimer = clock.after(wanted.pauseMs, () => ask(hex));
      wanted.pauseMs = Math.min(2 * wanted.pauseMs, limits.fetchRetryMsMax);
    };
    attempt.then(again, again); // a failed attempt is an attempt that found nothing
  }

  function askNext(): void {
    const [next] = line;
    if (next === undefined) return;
    line.delete(next);
    ask(next);
  }

  function arrived(chunk: StoredChunk): void {
    end(chunk.hex, ({ resolve }) => resolve(chunk));
  }

  async function want(chunkId: ChunkId, hint: readonly PeerKey[], signal: AbortSignal): Promise<StoredChunk> {
    signal.throwIfAborted();
    const hex = hexOf(chunkId);
    const known = here(chunkId);
    if (known) return known;
    const wanted = wants.get(hex) ?? begin(hex, chunkId, hint);
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
        if (wanted.waiters.size === 0 && wants.get(hex) === wanted) end(hex, () => undefined);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      wanted.waiters.add(waiter);
    });
  }

  return {
    want,
    arrived,
    stop() {
      const stopped = new DisseminationError('stopped', 'the node stopped while it waited for a chunk', {});
      for (const hex of [...wants.keys()]) end(hex, ({ reject }) => reject(stopped));
    },
    get waiting() {
      return wants.size;
    },
  };
}
