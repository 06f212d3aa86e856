import type { MessagePort } from 'node:worker_threads';
import { type Channel, createChannel } from '../threads/channel.ts';
import { pausedError } from '../threads/errors.ts';
import type { QueueStats } from '../threads/send-queue.ts';
import { NO_HANDLERS, type NoSide, STATE_READ_QUEUES, type StateReadsSide } from './wire.ts';

interface StateValues {
  /** Committed height of all values. */
  readonly height: number;
  /** In the order of the keys; undefined: missing key. */
  readonly values: readonly (Uint8Array | undefined)[];
}

/** Rejects with ThreadError `queue-full` when too many reads wait. */
export type ReadStateValues = (keys: readonly Uint8Array[]) => Promise<StateValues>;

export function stateReaderOf(channel: Pick<Channel<StateReadsSide>, 'call'>): ReadStateValues {
  return async (keys) => {
    const { head, bytes } = await channel.call('read', null, keys);
    const missing = new Set(head.missing);
    let next = 0;
    return { height: head.height, values: keys.map((_, i) => (missing.has(i) ? undefined : bytes[next++])) };
  };
}

export interface ReplaceableReader {
  /** Rejects with ThreadError `paused` without a port. */
  readonly read: ReadStateValues;
  queues(): readonly QueueStats[];
  /** From now on reads go to the executor at this port's other end. */
  attach(port: MessagePort): void;
  detach(): void;
}

/** For a thread with a port of its own to the executor, which is another one after a state sync. */
export function createReplaceableReader(onFault: (error: Error) => void): ReplaceableReader {
  let channel: Channel<StateReadsSide> | undefined;

  function detach(): void {
    channel?.close(pausedError());
    channel = undefined;
  }

  return {
    async read(keys) {
      if (channel === undefined) throw pausedError();
      return stateReaderOf(channel)(keys);
    },
    queues: () => channel?.queues() ?? [],
    attach(port) {
      detach();
      channel = createChannel<StateReadsSide, NoSide>({ port, handlers: NO_HANDLERS, onFault }, STATE_READ_QUEUES);
    },
    detach,
  };
}
