import { errorToWire, ThreadError } from './errors.ts';
import { type Head, pack, type ThreadMessage, unpack } from './message.ts';
import type { Outbox } from './outbox.ts';

export type CallHandler = (message: ThreadMessage, signal: AbortSignal) => Promise<ThreadMessage>;

interface Serving {
  serve(id: number, kind: string, head: Head, buffer: ArrayBuffer | undefined): void;
  abort(id: number): void;
  close(reason: Error): void;
}

export function createServing(
  handlers: Readonly<Record<string, CallHandler | undefined>>,
  outbox: Pick<Outbox, 'send'>,
): Serving {
  const underWay = new Map<number, AbortController>();

  async function answer(kind: string, message: ThreadMessage, signal: AbortSignal): Promise<ThreadMessage> {
    const handler = handlers[kind];
    if (handler === undefined) throw new ThreadError('failed', `no handler here answers ${kind}`);
    return handler(message, signal);
  }

  return {
    serve(id, kind, head, buffer) {
      const abort = new AbortController();
      underWay.set(id, abort);
      answer(kind, { head, bytes: unpack(buffer) }, abort.signal).then(
        ({ head: answered, bytes }) => {
          const packed = underWay.delete(id) ? pack(bytes) : undefined;
          outbox.send(['answer', id, answered, packed], packed);
        },
        (error: unknown) => {
          underWay.delete(id);
          outbox.send(['refusal', id, errorToWire(error)]);
        },
      );
    },
    abort: (id) => underWay.get(id)?.abort(),
    close(reason) {
      for (const abort of underWay.values()) abort.abort(reason);
      underWay.clear();
    },
  };
}
