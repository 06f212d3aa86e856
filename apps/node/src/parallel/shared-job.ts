/**
 * The calls of a block in memory that the executor's thread shares with workers. The executor goes through them from the front, workers
 * from the back; each call is begun by one of them.
 *
 *   words i32:  is over, count | of each call: state, place of the call, place of the result | end
 *   bytes:      calls and room for results (lists as in packages/execution), in that order for each
 *
 *   free --executor--> here                    free --worker--> begun --> done, or absent
 */
import {
  callItems,
  callOfItems,
  type HandedCall,
  type HandedCalls,
  type HandedResult,
  listBytes,
  readList,
  resultItems,
  resultOfItems,
  writeList,
} from '@slipstream/execution';

const STATE = { free: 0, here: 1, begun: 2, done: 3, absent: 4 } as const;
const IS_OVER = 0;
const COUNT = 1;
const HEAD_WORDS = 2;
const CALL_WORDS = 3;
const WORD_BYTES = 4;
const INPUT = 1;
const RESULT = 2;

interface SharedJob extends HandedCalls {
  readonly memory: SharedArrayBuffer;
  /** Results that were taken. */
  taken(): number;
  isLate(): boolean;
}

/** After the first call that is late no other is waited for. */
export function createSharedJob(calls: readonly HandedCall[]): SharedJob {
  const lists = calls.map(callItems);
  const places: number[] = [];
  let end = WORD_BYTES * (HEAD_WORDS + CALL_WORDS * calls.length + 1);
  for (const [i, items] of lists.entries()) {
    places.push(end, end + listBytes(items));
    end += listBytes(items) + (calls[i] as HandedCall).resultBytesMax;
  }
  const memory = new SharedArrayBuffer(end);
  const words = new Int32Array(memory, 0, HEAD_WORDS + CALL_WORDS * calls.length + 1);
  words[COUNT] = calls.length;
  words[words.length - 1] = end;
  for (const [i, items] of lists.entries()) {
    const [input, result] = [places[2 * i] as number, places[2 * i + 1] as number];
    words[wordOf(i) + INPUT] = input;
    words[wordOf(i) + RESULT] = result;
    writeList(items, new Uint8Array(memory, input, result - input));
  }
  let isLate = false;
  let taken = 0;

  function take(position: number, waitMsMax: number): HandedResult | undefined {
    const word = wordOf(position);
    if (Atomics.compareExchange(words, word, STATE.free, STATE.here) === STATE.free) return undefined;
    if (!isLate && Atomics.wait(words, word, STATE.begun, waitMsMax) === 'timed-out') isLate = true;
    if (Atomics.load(words, word) !== STATE.done) return undefined;
    taken += 1;
    return resultOfItems(readList(resultRoom(words, position)));
  }

  return {
    memory,
    take,
    drop: (position) => void Atomics.compareExchange(words, wordOf(position), STATE.free, STATE.here),
    end: () => void Atomics.store(words, IS_OVER, 1),
    taken: () => taken,
    isLate: () => isLate,
  };
}

/** A worker's part, until the job is over or all calls are begun. `run` gives undefined where it has no result. */
export function workOn(memory: SharedArrayBuffer, run: (call: HandedCall) => HandedResult | undefined): void {
  const head = new Int32Array(memory, 0, HEAD_WORDS);
  const count = head[COUNT] as number;
  const words = new Int32Array(memory, 0, HEAD_WORDS + CALL_WORDS * count + 1);
  for (let i = count - 1; i >= 0 && Atomics.load(words, IS_OVER) === 0; i--) {
    const word = wordOf(i);
    if (Atomics.compareExchange(words, word, STATE.free, STATE.begun) !== STATE.free) continue;
    const [from, to] = [words[word + INPUT] as number, words[word + RESULT] as number];
    const result = run(callOfItems(readList(new Uint8Array(memory, from, to - from))));
    const isWritten = result !== undefined && written(result, resultRoom(words, i));
    Atomics.store(words, word, isWritten ? STATE.done : STATE.absent);
    Atomics.notify(words, word);
  }
}

const wordOf = (position: number): number => HEAD_WORDS + CALL_WORDS * position;

function resultRoom(words: Int32Array, position: number): Uint8Array {
  const from = words[wordOf(position) + RESULT] as number;
  const isLast = wordOf(position + 1) === words.length - 1;
  const to = (isLast ? words[words.length - 1] : words[wordOf(position + 1) + INPUT]) as number;
  return new Uint8Array(words.buffer, from, to - from);
}

function written(result: HandedResult, room: Uint8Array): boolean {
  const items = resultItems(result);
  if (listBytes(items) > room.length) return false;
  writeList(items, room);
  return true;
}
