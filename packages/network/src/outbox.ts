/**
 * Sender of one peer: a queue per lane, written to the current connection's streams.
 *
 *   push --> lane queue --(once a tick)--> flush: highest lane first, one write at a time --> stream
 *                                              ^-------------- drain -----------------------/
 *
 * Frames of one tick leave in one write. A lane with a full window waits alone; a full socket stops every lane. Queues survive a replaced
 * connection.
 */
import type { Stream } from '@libp2p/interface';
import { LANES, type Lane } from '@slipstream/ports';
import { trySend } from './closing.ts';
import { createLaneQueue, type LaneQueue } from './lane-queue.ts';
import type { QueueLimit } from './limits.ts';

export interface Outbox {
  /** False: older frames were dropped for this one. */
  push(lane: Lane, frame: Uint8Array): boolean;
  attach(streams: ReadonlyMap<Lane, Stream>): void;
  detach(): void;
  /** Without counting, after the peer is lost. */
  clear(): void;
  readonly queuedBytes: number;
}

interface OutboxEvents {
  dropped(lane: Lane, frames: number): void;
  sent(lane: Lane, frames: number, bytes: number): void;
}

export function createOutbox(limits: Readonly<Record<Lane, QueueLimit>>, events: OutboxEvents): Outbox {
  const queues = LANES.map((lane) => ({ lane, queue: createLaneQueue(limits[lane]) }));
  const queueOf = new Map<Lane, LaneQueue>(queues.map(({ lane, queue }) => [lane, queue]));
  let streams: ReadonlyMap<Lane, Stream> | undefined;
  let flushing: NodeJS.Immediate | undefined;

  function schedule(): void {
    flushing ??= setImmediate(flush);
  }

  function flush(): void {
    flushing = undefined;
    for (const { lane, queue } of queues) {
      const stream = streams?.get(lane);
      if (stream !== undefined && !flushLane(lane, stream, queue)) return;
    }
  }

  /** False: the stream has closed; its connection reports it. */
  function flushLane(lane: Lane, stream: Stream, queue: LaneQueue): boolean {
    while (!stream.writableNeedsDrain) {
      const write = queue.take();
      if (write === undefined) return true;
      events.sent(lane, write.frames, write.bytes.length);
      if (!trySend(stream, write.bytes)) return false;
    }
    return true;
  }

  function detach(): void {
    if (streams !== undefined) for (const stream of streams.values()) stream.removeEventListener('drain', schedule);
    streams = undefined;
    if (flushing !== undefined) clearImmediate(flushing);
    flushing = undefined;
  }

  return {
    push(lane, frame) {
      const dropped = (queueOf.get(lane) as LaneQueue).push(frame);
      if (dropped > 0) events.dropped(lane, dropped);
      if (streams !== undefined) schedule();
      return dropped === 0;
    },
    attach(next) {
      detach();
      streams = next;
      for (const { queue } of queues) queue.rewind();
      for (const stream of next.values()) stream.addEventListener('drain', schedule);
      schedule();
    },
    detach,
    clear() {
      for (const { queue } of queues) queue.clear();
    },
    get queuedBytes() {
      let bytes = 0;
      for (const { queue } of queues) bytes += queue.bytes;
      if (streams !== undefined) for (const stream of streams.values()) bytes += stream.writeBufferLength;
      return bytes;
    },
  };
}
