/**
 * A channel between two threads over a MessagePort: calls with an answer, notices without one, in the order of sending.
 *
 *   call(kind, head, bytes) --queue--> handler --answer--> promise          abort --> the handler's signal
 *   tell(kind, head, bytes) --queue--> handler --done----> room in the queue
 *   tellSoon(...) -----------queue, then with the next message to that side, or after HELD_MS
 *
 * Each kind goes through a named, bounded queue (send-queue.ts). Notices are handled in order, one started after the other;
 * one that fails is a fault: the other thread's state is unknown then, so the node stops (`onFault`). A call that fails
 * rejects at the caller. After close, or when the other side is gone, every promise is settled.
 */
import type { MessagePort } from 'node:worker_threads';
import { errorFromWire, errorToWire, ThreadError, type WireError } from './errors.ts';
import { type Head, type Parcel, pack, unpack } from './parcel.ts';
import { createSendQueue, type QueueRule, type QueueStats, type SendQueue } from './send-queue.ts';

/** What one end of a channel takes, as types: heads by kind. */
export interface Side {
  /** Asked and answered. */
  readonly calls: Readonly<Record<string, readonly [Head, Head]>>;
  readonly notices: Readonly<Record<string, Head>>;
}

type Kinds<T> = keyof T & string;

/** What an end does with what it is sent. */
export interface Handlers<Mine extends Side> {
  readonly calls: {
    readonly [K in Kinds<Mine['calls']>]: (
      parcel: Parcel<Mine['calls'][K][0]>,
      signal: AbortSignal,
    ) => Promise<Parcel<Mine['calls'][K][1]>>;
  };
  readonly notices: { readonly [K in Kinds<Mine['notices']>]: (parcel: Parcel<Mine['notices'][K]>) => void };
}

/** The queues towards the other end, and which kind goes through which. */
export interface Outlet<Theirs extends Side> {
  readonly queues: Readonly<Record<string, QueueRule>>;
  readonly queueOf: Readonly<Record<Kinds<Theirs['calls']> | Kinds<Theirs['notices']>, string>>;
}

export interface Channel<Theirs extends Side> {
  /** Rejects with ThreadError, or with what the other side threw; with the signal's reason once it is aborted. */
  call<K extends Kinds<Theirs['calls']>>(
    kind: K,
    head: Theirs['calls'][K][0],
    bytes?: readonly Uint8Array[],
    signal?: AbortSignal,
  ): Promise<Parcel<Theirs['calls'][K][1]>>;
  /** False when it was dropped, or nobody is there any more. Throws ThreadError `queue-full` where the queue refuses. */
  tell<K extends Kinds<Theirs['notices']>>(kind: K, head: Theirs['notices'][K], bytes?: readonly Uint8Array[]): boolean;
  /** For what may wait a tenth of a second: it wakes the other thread only where nothing else does. In the order of sending all the same. */
  tellSoon<K extends Kinds<Theirs['notices']>>(
    kind: K,
    head: Theirs['notices'][K],
    bytes?: readonly Uint8Array[],
  ): boolean;
  queues(): readonly QueueStats[];
  /** Settles whoever waits, with the reason. Idempotent. */
  close(reason?: Error): void;
}

export interface ChannelComponents<Mine extends Side> {
  readonly port: MessagePort;
  readonly handlers: Handlers<Mine>;
  /** Called once. Undefined: the other end is told, and its `onFault` is called. */
  readonly onFault?: (error: Error) => void;
}

/** On the port: type, then what it needs. `id` names a call; `queue` is by position in the sender's outlet. */
type Message =
  | readonly ['call', number, string, Head, ArrayBuffer | undefined]
  | readonly ['notice', number, string, Head, ArrayBuffer | undefined]
  | readonly ['answer', number, Head, ArrayBuffer | undefined]
  | readonly ['refusal', number, WireError]
  | readonly ['abort', number]
  | readonly ['done', number, number, number]
  | readonly ['fault', WireError];

/**
 * What may wait, and what was dealt with, is told with the next message to that side, or after this time: each message by itself wakes
 * the other thread, and a wake-up costs it 0.1 to 0.3 ms on a full machine. The sender's queues are larger than what comes meanwhile.
 */
const HELD_MS = 100;
/** Dealt with, of one queue: told at once, so that a burst finds room again. */
const DONE_MESSAGES = 32;
const DONE_BYTES = 262_144;

type CallHandler = (parcel: Parcel, signal: AbortSignal) => Promise<Parcel>;

interface Waiting {
  readonly queue: SendQueue;
  readonly size: number;
  /** Lets go of the caller's signal. */
  release(): void;
  resolve(parcel: Parcel<never>): void;
  reject(error: unknown): void;
}

export function createChannel<Theirs extends Side, Mine extends Side>(
  { port, handlers, onFault }: ChannelComponents<Mine>,
  outlet: Outlet<Theirs>,
): Channel<Theirs> {
  // The kinds of a Side keep handlers and senders together; below them a kind is a name.
  const callHandlers = handlers.calls as unknown as Record<string, CallHandler | undefined>;
  const noticeHandlers = handlers.notices as unknown as Record<string, ((parcel: Parcel) => void) | undefined>;
  const names = Object.keys(outlet.queues);
  const queues = names.map((name) => createSendQueue(name, outlet.queues[name] as QueueRule, fault));
  const waiting = new Map<number, Waiting>();
  /** Calls under way here, by the caller's id. */
  const serving = new Map<number, AbortController>();
  /** Notices dealt with and not yet told of, by the sender's queue. */
  const done = new Map<number, { messages: number; bytes: number }>();
  const held: (readonly [message: Message, buffer: ArrayBuffer | undefined])[] = [];
  let flushing: NodeJS.Timeout | undefined;
  let lastId = 0;
  let ended: Error | undefined;
  let isFaulty = false;

  function post(message: Message, buffer?: ArrayBuffer): void {
    flush();
    send(message, buffer);
  }

  function send(message: Message, buffer: ArrayBuffer | undefined): void {
    port.postMessage(message, buffer === undefined ? [] : [buffer]);
  }

  /** What is held goes out. */
  function flush(): void {
    if (flushing === undefined) return;
    clearTimeout(flushing);
    flushing = undefined;
    for (const [queue, { messages, bytes }] of done) send(['done', queue, messages, bytes], undefined);
    done.clear();
    for (const [message, buffer] of held.splice(0)) send(message, buffer);
  }

  function flushSoon(): void {
    flushing ??= setTimeout(flush, HELD_MS).unref();
  }

  function fault(error: Error): void {
    if (isFaulty || ended !== undefined) return;
    isFaulty = true;
    if (onFault === undefined) post(['fault', errorToWire(error)]);
    else onFault(error);
  }

  function queueOf(kind: string): number {
    return names.indexOf((outlet.queueOf as Record<string, string>)[kind] as string);
  }

  function call(kind: string, head: Head, bytes: readonly Uint8Array[] = [], signal?: AbortSignal) {
    return new Promise<Parcel<never>>((resolve, reject) => {
      if (ended !== undefined) throw ended;
      signal?.throwIfAborted();
      const queue = queues[queueOf(kind)] as SendQueue;
      const buffer = pack(bytes);
      const size = buffer?.byteLength ?? 0;
      if (!queue.enter(size)) throw new ThreadError('queue-full', `the queue ${queue.name} dropped ${kind}`);
      lastId = (lastId + 1) % Number.MAX_SAFE_INTEGER;
      const id = lastId;
      const cancel = () => {
        post(['abort', id]);
        reject(signal?.reason); // its place is free once the other side has answered
      };
      const release = () => signal?.removeEventListener('abort', cancel);
      waiting.set(id, { queue, size, release, resolve, reject });
      signal?.addEventListener('abort', cancel, { once: true });
      post(['call', id, kind, head, buffer], buffer);
    });
  }

  function notice(
    pass: (message: Message, buffer: ArrayBuffer | undefined) => void,
    kind: string,
    head: Head,
    bytes: readonly Uint8Array[] = [],
  ): boolean {
    if (ended !== undefined) return false;
    const at = queueOf(kind);
    const buffer = pack(bytes);
    if (!(queues[at] as SendQueue).enter(buffer?.byteLength ?? 0)) return false;
    pass(['notice', at, kind, head, buffer], buffer);
    return true;
  }

  function hold(message: Message, buffer: ArrayBuffer | undefined): void {
    held.push([message, buffer]);
    flushSoon();
  }

  function serve(id: number, kind: string, head: Head, buffer: ArrayBuffer | undefined): void {
    const abort = new AbortController();
    serving.set(id, abort);
    const handler = callHandlers[kind];
    const answered = async () => {
      if (handler === undefined) throw new ThreadError('failed', `nobody here answers ${kind}`);
      return handler({ head, bytes: unpack(buffer) }, abort.signal);
    };
    answered().then(
      ({ head: answer, bytes }) => {
        const packed = serving.delete(id) ? pack(bytes) : undefined;
        if (ended === undefined) post(['answer', id, answer, packed], packed);
      },
      (error: unknown) => {
        serving.delete(id);
        if (ended === undefined) post(['refusal', id, errorToWire(error)]);
      },
    );
  }

  function take(queue: number, kind: string, head: Head, buffer: ArrayBuffer | undefined): void {
    const size = buffer?.byteLength ?? 0;
    try {
      noticeHandlers[kind]?.({ head, bytes: unpack(buffer) });
    } catch (error) {
      fault(error instanceof Error ? error : new Error(String(error)));
    }
    const sum = done.get(queue) ?? { messages: 0, bytes: 0 };
    sum.messages += 1;
    sum.bytes += size;
    done.set(queue, sum);
    if (ended !== undefined) return;
    flushSoon();
    if (sum.messages >= DONE_MESSAGES || sum.bytes >= DONE_BYTES) flush();
  }

  function settle(id: number): Waiting | undefined {
    const entry = waiting.get(id);
    waiting.delete(id);
    entry?.queue.leave(1, entry.size);
    entry?.release();
    return entry;
  }

  function receive(message: Message): void {
    switch (message[0]) {
      case 'call':
        return serve(message[1], message[2], message[3], message[4]);
      case 'notice':
        return take(message[1], message[2], message[3], message[4]);
      case 'answer':
        return settle(message[1])?.resolve({ head: message[2], bytes: unpack(message[3]) } as Parcel<never>);
      case 'refusal':
        return settle(message[1])?.reject(errorFromWire(message[2]));
      case 'abort':
        return serving.get(message[1])?.abort();
      case 'done':
        return queues[message[1]]?.leave(message[2], message[3]);
      case 'fault':
        return fault(errorFromWire(message[1]));
    }
  }

  function close(reason: Error = new ThreadError('stopped', 'the channel between two threads is closed')): void {
    if (ended !== undefined) return;
    ended = reason;
    for (const id of [...waiting.keys()]) settle(id)?.reject(reason);
    for (const abort of serving.values()) abort.abort(reason);
    serving.clear();
    clearTimeout(flushing);
    flushing = undefined;
    port.close();
  }

  port.on('message', receive);
  port.on('close', () => close(new ThreadError('failed', 'the thread at the other end of a channel is gone')));
  return {
    call,
    tell: (kind: string, head: Head, bytes?: readonly Uint8Array[]) => notice(post, kind, head, bytes),
    tellSoon: (kind: string, head: Head, bytes?: readonly Uint8Array[]) => notice(hold, kind, head, bytes),
    queues: () => queues.map((queue) => queue.stats()),
    close,
  } as Channel<Theirs>;
}
