/**
 * Which call of an application the executor's thread runs, in memory that the main thread reads: a call that ticks do not end blocks its thread,
 * which then answers nothing (applications.md, A19).
 *
 *   word 0: count of begun and ended calls, odd within a call | word 1: application << 16 | action | 32 bytes: transaction
 */
import type { CallWatch } from '@slipstream/execution';
import type { Clock } from '@slipstream/ports';

const WORDS = 2;
const HEAD_BYTES = WORDS * Int32Array.BYTES_PER_ELEMENT;
const ID_BYTES = 32;

export function createWatchedMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEAD_BYTES + ID_BYTES);
}

/** The executor's side. */
export function createCallWatch(memory: SharedArrayBuffer): CallWatch {
  const words = new Int32Array(memory, 0, WORDS);
  const id = new Uint8Array(memory, HEAD_BYTES, ID_BYTES);
  return {
    begins(transactionId, application, action) {
      id.set(transactionId);
      words[1] = (application << 16) | action;
      Atomics.add(words, 0, 1);
    },
    ended: () => void Atomics.add(words, 0, 1),
  };
}

export interface EndlessCall {
  readonly transactionId: Uint8Array;
  /** Number, of genesis. */
  readonly application: number;
  readonly action: number;
}

interface WatchdogOptions {
  readonly everyMs: number;
  /** Looks in a row that find the same call. A process that was paused looks once afterwards. */
  readonly looksMax: number;
}

/** Ten seconds, in which a call with all its ticks runs ten thousand times. */
const PATIENCE: WatchdogOptions = { everyMs: 1_000, looksMax: 11 };

/** The main thread's side. `onEndless` is called once. Returns a function that ends it, idempotent. */
export function watchCalls(
  { clock, memory }: { readonly clock: Pick<Clock, 'after'>; readonly memory: SharedArrayBuffer },
  onEndless: (call: EndlessCall) => void,
  { everyMs, looksMax } = PATIENCE,
): () => void {
  const words = new Int32Array(memory, 0, WORDS);
  let [seen, looks] = [0, 0];
  let cancel = clock.after(everyMs, look);

  function look(): void {
    const count = Atomics.load(words, 0);
    const isInCall = count % 2 !== 0;
    looks = isInCall && count === seen ? looks + 1 : 0;
    seen = count;
    if (looks < looksMax - 1) {
      cancel = clock.after(everyMs, look);
      return;
    }
    const place = words[1] as number;
    const transactionId = new Uint8Array(memory, HEAD_BYTES, ID_BYTES).slice();
    onEndless({ transactionId, application: place >>> 16, action: place & 0xffff });
  }

  return () => cancel();
}
