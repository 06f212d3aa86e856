/**
 * A channel has calls with an answer and notices without one, over a MessagePort, in the order of sending.
 *
 *   call(kind, head, bytes) --queue--> handler --answer--> promise          abort --> the handler's signal
 *   notify(kind, head, bytes) --queue--> handler --done----> space in the queue
 *   notifySoon(...) ---------queue, then with the next message to that side, or soon (outbox.ts)
 *
 * Each kind has a bounded queue (send-queue.ts). A notice that fails is a fault: the other thread's state is unknown, so the node stops. A
 * call that fails rejects at the caller. After close, or when the other side is gone, every promise is settled.
 */
import type { MessagePort } from 'node:worker_threads';
import { createCalls } from './calls.ts';
import { errorFromWire, errorToWire, ThreadError } from './errors.ts';
import { type Head, pack, type ThreadMessage, unpack } from './message.ts';
import { createOutbox, type Message, type Outbox } from './outbox.ts';
import { createSendQueue, type QueueRule, type QueueStats, type SendQueue } from './send-queue.ts';
import { type CallHandler, createServing } from './serving.ts';
import type { TurnProfile } from './turn-profile.ts';

/** What one end receives: heads by kind. */
export interface Side {
  /** Head of call and answer. */
  readonly calls: Readonly<Record<string, readonly [Head, Head]>>;
  readonly notices: Readonly<Record<string, Head>>;
}

type Kinds<T> = keyof T & string;

export interface Handlers<Mine extends Side> {
  readonly calls: {
    readonly [K in Kinds<Mine['calls']>]: (
      message: ThreadMessage<Mine['calls'][K][0]>,
      signal: AbortSignal,
    ) => Promise<ThreadMessage<Mine['calls'][K][1]>>;
  };
  readonly notices: { readonly [K in Kinds<Mine['notices']>]: (message: ThreadMessage<Mine['notices'][K]>) => void };
}

export interface Outlet<Theirs extends Side> {
  readonly queues: Readonly<Record<string, QueueRule>>;
  readonly queueOf: Readonly<Record<Kinds<Theirs['calls']> | Kinds<Theirs['notices']>, string>>;
}

export interface Channel<Theirs extends Side> {
  /** Rejects with ThreadError, the other side's error, or the signal's reason. */
  call<K extends Kinds<Theirs['calls']>>(
    kind: K,
    head: Theirs['calls'][K][0],
    bytes?: readonly Uint8Array[],
    signal?: AbortSignal,
  ): Promise<ThreadMessage<Theirs['calls'][K][1]>>;
  /** False: dropped, or the other side is gone. Throws ThreadError `queue-full` where the queue refuses. */
  notify<K extends Kinds<Theirs['notices']>>(
    kind: K,
    head: Theirs['notices'][K],
    bytes?: readonly Uint8Array[],
  ): boolean;
  /** May wait a tenth of a second, and does not wake the other thread. Keeps the order of sending. */
  notifySoon<K extends Kinds<Theirs['notices']>>(
    kind: K,
    head: Theirs['notices'][K],
    bytes?: readonly Uint8Array[],
  ): boolean;
  queues(): readonly QueueStats[];
  /** Settles all promises with the reason. Idempotent. */
  close(reason?: Error): void;
}

interface ChannelComponents<Mine extends Side> {
  readonly port: MessagePort;
  readonly handlers: Handlers<Mine>;
  /** Called once. Undefined: the other end's `onFault` gets the fault. */
  readonly onFault?: (error: Error) => void;
  /** Of the calling thread; undefined: not profiled. `other`: the thread at the other end. */
  readonly profiled?: { readonly turns: TurnProfile; readonly other: string } | undefined;
}

export function createChannel<Theirs extends Side, Mine extends Side>(
  { port, handlers, onFault, profiled }: ChannelComponents<Mine>,
  outlet: Outlet<Theirs>,
): Channel<Theirs> {
  // Side matches kinds with handlers; here a kind is only a name.
  const callHandlers = handlers.calls as unknown as Record<string, CallHandler | undefined>;
  const noticeHandlers = handlers.notices as unknown as Record<string, ((message: ThreadMessage) => void) | undefined>;
  const names = Object.keys(outlet.queues);
  const queues = names.map((name) => createSendQueue(name, outlet.queues[name] as QueueRule, fault));
  const outbox = createOutbox(profiled === undefined ? port : profiledPort(port, profiled));
  const calls = createCalls(outbox);
  const serving = createServing(callHandlers, outbox);
  let ended: Error | undefined;
  let isFaulty = false;

  function fault(error: Error): void {
    if (isFaulty || ended !== undefined) return;
    isFaulty = true;
    if (onFault === undefined) outbox.send(['fault', errorToWire(error)]);
    else onFault(error);
  }

  function queueOf(kind: string): number {
    return names.indexOf((outlet.queueOf as Record<string, string>)[kind] as string);
  }

  function call(kind: string, head: Head, bytes: readonly Uint8Array[] = [], signal?: AbortSignal) {
    return calls.begin({ queue: queues[queueOf(kind)] as SendQueue, kind, head, bytes, signal });
  }

  function notice(pass: Outbox['hold'], kind: string, head: Head, bytes: readonly Uint8Array[] = []): boolean {
    if (ended !== undefined) return false;
    const at = queueOf(kind);
    const buffer = pack(bytes);
    if (!(queues[at] as SendQueue).enter(buffer?.byteLength ?? 0)) return false;
    pass(['notice', at, kind, head, buffer], buffer);
    return true;
  }

  function take(queue: number, kind: string, head: Head, buffer: ArrayBuffer | undefined): void {
    const size = buffer?.byteLength ?? 0;
    try {
      noticeHandlers[kind]?.({ head, bytes: unpack(buffer) });
    } catch (error) {
      fault(error instanceof Error ? error : new Error(String(error)));
    }
    outbox.handled(queue, size);
  }

  function receive(message: Message): void {
    switch (message[0]) {
      case 'call':
        return serving.serve(message[1], message[2], message[3], message[4]);
      case 'notice':
        return take(message[1], message[2], message[3], message[4]);
      case 'answer':
        return calls.answered(message[1], { head: message[2], bytes: unpack(message[3]) });
      case 'refusal':
        return calls.refused(message[1], errorFromWire(message[2]));
      case 'abort':
        return serving.abort(message[1]);
      case 'done':
        return queues[message[1]]?.leave(message[2], message[3]);
      case 'fault':
        return fault(errorFromWire(message[1]));
    }
  }

  function close(reason: Error = new ThreadError('stopped', 'the channel between two threads is closed')): void {
    if (ended !== undefined) return;
    ended = reason;
    calls.close(reason);
    serving.close(reason);
    outbox.close();
    port.close();
  }

  function receiveProfiled(message: Message): void {
    const kind = message[0] === 'answer' ? `answer to ${calls.kindOf(message[1])}` : kindOf(message);
    profiled?.turns.turn(`from ${profiled.other}: ${kind}`);
    receive(message);
  }

  port.on('message', profiled === undefined ? receive : receiveProfiled);
  port.on('close', () => close(new ThreadError('failed', 'the thread at the other end of a channel is gone')));
  return {
    call,
    notify: (kind: string, head: Head, bytes?: readonly Uint8Array[]) => notice(outbox.send, kind, head, bytes),
    notifySoon: (kind: string, head: Head, bytes?: readonly Uint8Array[]) => notice(outbox.hold, kind, head, bytes),
    queues: () => queues.map((queue) => queue.stats()),
    close,
  } as Channel<Theirs>;
}

function kindOf([type, , kind]: Message): string {
  return type === 'call' || type === 'notice' ? kind : type;
}

function profiledPort(
  port: MessagePort,
  { turns, other }: { readonly turns: TurnProfile; readonly other: string },
): Pick<MessagePort, 'postMessage'> {
  return {
    postMessage: (message: Message, buffers: readonly ArrayBuffer[]) =>
      turns.within(`to ${other}: ${kindOf(message)}`, () => port.postMessage(message, buffers)),
  };
}
