import type { MessagePort } from 'node:worker_threads';
import { type PathProof, pathProofCodec } from '@slipstream/state-tree';
import { type Channel, createChannel } from '../threads/channel.ts';
import { decodeOwn } from '../threads/decode-own.ts';
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

interface ProvenValue {
  /** Undefined: the key is absent. */
  readonly value: Uint8Array | undefined;
  readonly path: PathProof;
}

type ProvenValues =
  | { readonly type: 'proven'; readonly height: number; readonly values: readonly ProvenValue[] }
  /** More than PROOF_VALUE_BYTES_MAX. */
  | { readonly type: 'too-large' }
  /** The node executes no more blocks. */
  | { readonly type: 'stopped' }
  /** The key at this position shares its prefix with another one (R9). */
  | { readonly type: 'shared-prefix'; readonly at: number };

/** Of keys of 1 to 63 bytes. Rejects with ThreadError `queue-full` when too many proofs wait. */
export type ProveStateValues = (keys: readonly Uint8Array[]) => Promise<ProvenValues>;

function stateProverOf(channel: Pick<Channel<StateReadsSide>, 'call'>): ProveStateValues {
  return async (keys) => {
    const { head, bytes } = await channel.call('prove', null, keys);
    if (head.type !== 'proven') return head;
    const missing = new Set(head.missing);
    let next = 0;
    const values = keys.map((_, i) => {
      const path = decodeOwn(pathProofCodec.decode(bytes[next++] as Uint8Array));
      return { path, value: missing.has(i) ? undefined : bytes[next++] };
    });
    return { type: 'proven', height: head.height, values };
  };
}

export interface ReplaceableReader {
  /** Rejects with ThreadError `paused` without a port. */
  readonly read: ReadStateValues;
  /** As `read`. */
  readonly prove: ProveStateValues;
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
    async prove(keys) {
      if (channel === undefined) throw pausedError();
      return stateProverOf(channel)(keys);
    },
    queues: () => channel?.queues() ?? [],
    attach(port) {
      detach();
      channel = createChannel<StateReadsSide, NoSide>({ port, handlers: NO_HANDLERS, onFault }, STATE_READ_QUEUES);
    },
    detach,
  };
}
