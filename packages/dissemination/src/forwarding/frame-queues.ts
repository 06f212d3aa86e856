/**
 * Frame queues: what goes to one validator, or to all, gathers in a frame.
 *
 *   transaction, wish --> queue of its target --full, or flush--> send
 */
import type { PeerKey } from '@slipstream/ports';
import { fromHex } from '@slipstream/primitives';
import { AWAITED_TRANSACTIONS_MAX, asId, TRANSACTIONS_FRAME_BYTES_MAX, type TransactionId } from '@slipstream/types';
import type { AttestationWaits } from '../chunks/attestation-waits.ts';

export type ForwardTarget = PeerKey | 'all';

export interface QueuedTransaction {
  /** Lower-case hex, no prefix. */
  readonly id: string;
  readonly bytes: Uint8Array;
}

interface Queue {
  readonly transactions: Uint8Array[];
  readonly awaited: TransactionId[];
  bytes: number;
}

interface FrameQueues {
  /** With the wish for its attestation, if there is one. */
  add(target: ForwardTarget, transaction: QueuedTransaction): void;
  addWish(target: ForwardTarget, id: string): void;
  flush(): void;
  clear(): void;
}

interface FrameQueuesParts {
  readonly ackWishes: Pick<AttestationWaits, 'has'>;
  send(target: ForwardTarget, frame: Pick<Queue, 'transactions' | 'awaited'>): void;
}

/** SSZ list offset of each transaction. */
const OFFSET_BYTES = 4;

export function createFrameQueues({ ackWishes, send }: FrameQueuesParts): FrameQueues {
  /** Bounded: a full frame is sent at once. */
  const queues = new Map<ForwardTarget, Queue>();

  function queueOf(target: ForwardTarget): Queue {
    const queue = queues.get(target) ?? { transactions: [], awaited: [], bytes: 0 };
    queues.set(target, queue);
    return queue;
  }

  function release(target: ForwardTarget, queue: Queue): void {
    queues.delete(target);
    send(target, queue);
  }

  function addWish(target: ForwardTarget, id: string): void {
    const queue = queueOf(target);
    queue.awaited.push(asId<TransactionId>(fromHex(id)));
    if (queue.awaited.length === AWAITED_TRANSACTIONS_MAX) release(target, queue);
  }

  return {
    add(target, { id, bytes }) {
      const size = bytes.length + OFFSET_BYTES;
      const queued = queues.get(target);
      if (queued && queued.bytes + size > TRANSACTIONS_FRAME_BYTES_MAX) release(target, queued);
      const queue = queueOf(target);
      queue.transactions.push(bytes);
      queue.bytes += size;
      if (ackWishes.has(id)) addWish(target, id);
    },
    addWish,
    flush() {
      for (const [target, queue] of [...queues]) release(target, queue);
    },
    clear: () => queues.clear(),
  };
}
