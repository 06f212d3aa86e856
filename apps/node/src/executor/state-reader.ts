import type { MessagePort } from 'node:worker_threads';
import { type Channel, createChannel } from '../threads/channel.ts';
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

/** For a thread with its own port to the executor. */
export function openStateReader(port: MessagePort, onFault: (error: Error) => void) {
  const channel = createChannel<StateReadsSide, NoSide>({ port, handlers: NO_HANDLERS, onFault }, STATE_READ_QUEUES);
  return { read: stateReaderOf(channel), queues: channel.queues, close: () => channel.close() };
}
