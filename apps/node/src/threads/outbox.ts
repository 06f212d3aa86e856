/**
 * The sending side of a port.
 *
 *   send --held messages--> --message--> port          hold, handled --held for at most HELD_MS--> port
 *
 * Notices and reports of handled messages may wait for the next message, because each one wakes the other thread, which is costly on a busy
 * machine.
 */
import type { MessagePort } from 'node:worker_threads';
import type { WireError } from './errors.ts';
import type { Head } from './message.ts';

/** `id` names a call; `queue` is a position in the sender's outlet. */
export type Message =
  | readonly ['call', id: number, kind: string, Head, ArrayBuffer | undefined]
  | readonly ['notice', queue: number, kind: string, Head, ArrayBuffer | undefined]
  | readonly ['answer', id: number, Head, ArrayBuffer | undefined]
  | readonly ['refusal', id: number, WireError]
  | readonly ['abort', id: number]
  | readonly ['done', queue: number, messages: number, bytes: number]
  | readonly ['fault', WireError];

export interface Outbox {
  /** Sends after the held messages. */
  send(message: Message, buffer?: ArrayBuffer): void;
  hold(message: Message, buffer: ArrayBuffer | undefined): void;
  /** A handled notice frees space in the other side's queue. */
  handled(queue: number, bytes: number): void;
  /** Drops the held messages; sends nothing more. */
  close(): void;
}

const HELD_MS = 100;
/** So many handled messages of one queue are reported at once, so that a burst finds space again. */
const DONE_MESSAGES = 32;
const DONE_BYTES = 262_144;

export function createOutbox(port: Pick<MessagePort, 'postMessage'>): Outbox {
  const done = new Map<number, { messages: number; bytes: number }>();
  const held: (readonly [message: Message, buffer: ArrayBuffer | undefined])[] = [];
  let flushing: NodeJS.Timeout | undefined;
  let isClosed = false;

  function post(message: Message, buffer: ArrayBuffer | undefined): void {
    port.postMessage(message, buffer === undefined ? [] : [buffer]);
  }

  function flush(): void {
    if (flushing === undefined) return;
    clearTimeout(flushing);
    flushing = undefined;
    for (const [queue, { messages, bytes }] of done) post(['done', queue, messages, bytes], undefined);
    done.clear();
    for (const [message, buffer] of held.splice(0)) post(message, buffer);
  }

  function flushSoon(): void {
    flushing ??= setTimeout(flush, HELD_MS).unref();
  }

  return {
    send(message, buffer) {
      if (isClosed) return;
      flush();
      post(message, buffer);
    },
    hold(message, buffer) {
      if (isClosed) return;
      held.push([message, buffer]);
      flushSoon();
    },
    handled(queue, size) {
      if (isClosed) return;
      const sum = done.get(queue) ?? { messages: 0, bytes: 0 };
      sum.messages += 1;
      sum.bytes += size;
      done.set(queue, sum);
      flushSoon();
      if (sum.messages >= DONE_MESSAGES || sum.bytes >= DONE_BYTES) flush();
    },
    close() {
      isClosed = true;
      clearTimeout(flushing);
      flushing = undefined;
    },
  };
}
