/** Pending calls. Each occupies its queue until answered, even when its caller no longer waits. */
import { ThreadError } from './errors.ts';
import { type Head, pack, type ThreadMessage } from './message.ts';
import type { Outbox } from './outbox.ts';
import type { SendQueue } from './send-queue.ts';

interface Call {
  readonly queue: SendQueue;
  readonly kind: string;
  readonly head: Head;
  readonly bytes: readonly Uint8Array[];
  readonly signal: AbortSignal | undefined;
}

interface Calls {
  /** Rejects with ThreadError `queue-full`, the other side's error, the signal's reason, or that of `close`. */
  begin(call: Call): Promise<ThreadMessage<never>>;
  answered(id: number, message: ThreadMessage): void;
  refused(id: number, error: Error): void;
  /** Of a pending call. */
  kindOf(id: number): string;
  /** Rejects all calls with the reason, later ones too. */
  close(reason: Error): void;
}

interface Waiting {
  readonly kind: string;
  readonly queue: SendQueue;
  readonly size: number;
  release(): void;
  resolve(message: ThreadMessage<never>): void;
  reject(error: unknown): void;
}

export function createCalls(outbox: Pick<Outbox, 'send'>): Calls {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | undefined;

  function complete(id: number): Waiting | undefined {
    const entry = waiting.get(id);
    waiting.delete(id);
    entry?.queue.leave(1, entry.size);
    entry?.release();
    return entry;
  }

  return {
    begin: ({ queue, kind, head, bytes, signal }) =>
      new Promise<ThreadMessage<never>>((resolve, reject) => {
        if (ended !== undefined) throw ended;
        signal?.throwIfAborted();
        const buffer = pack(bytes);
        const size = buffer?.byteLength ?? 0;
        if (!queue.enter(size)) throw new ThreadError('queue-full', `the queue ${queue.name} dropped ${kind}`);
        lastId = (lastId + 1) % Number.MAX_SAFE_INTEGER;
        const id = lastId;
        const cancel = () => {
          outbox.send(['abort', id]);
          reject(signal?.reason); // its queue entry is freed by the answer
        };
        const release = () => signal?.removeEventListener('abort', cancel);
        waiting.set(id, { kind, queue, size, release, resolve, reject });
        signal?.addEventListener('abort', cancel, { once: true });
        outbox.send(['call', id, kind, head, buffer], buffer);
      }),
    answered: (id, message) => complete(id)?.resolve(message as ThreadMessage<never>),
    refused: (id, error) => complete(id)?.reject(error),
    kindOf: (id) => waiting.get(id)?.kind ?? 'nothing',
    close(reason) {
      ended = reason;
      for (const id of [...waiting.keys()]) complete(id)?.reject(reason);
    },
  };
}
