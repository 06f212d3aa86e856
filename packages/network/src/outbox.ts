/**
 * Sender of one peer: a queue for each lane, written to the streams of the connection of the moment.
 *
 *   push --> lane queue --(once a tick)--> flush: highest lane first, one write at a time --> stream
 *                                              ^-------------- drain -----------------------/
 *
 * Frames of one tick leave in one write. A lane whose window is used up waits alone; when the socket is full every lane
 * waits, and the highest goes first once it drains. Queues outlive a connection that is replaced by another.
 */
import type { Stream } from '@libp2p/interface';
import { LANES, type Lane } from '@slipstream/ports';
import { trySend } from './closing.ts';
import { createLaneQueue, type LaneQueue } from './lane-queue.ts';
import type { QueueLimit } from './limits.ts';

export interface Outbox {
  /** False when older frames were dropped to take this one. */
  push(lane: Lane, frame: Uint8Array): boolean;
  /** Sends through these streams from now on. */
  attach(streams: ReadonlyMap<Lane, Stream>): void;
  detach(): void;
  /** Drops what is queued, uncounted: the peer is gone. */
  clear(): void;
  readonly queuedBytes: number;
}

export interface OutboxEvents {
  dropped(lane: Lane, frames: number): void;
  sent(frames: number, bytes: number): void;
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
      if (stream !== undefined && !flushLane(stream, queue)) return;
    }
  }

  /** False when the stream turned out to be gone: the connection is about to tell. */
  function flushLane(stream: Stream, queue: LaneQueue): boolean {
    while (!stream.writableNeedsDrain) {
      const write = queue.take();
      if (write === undefined) return true;
      events.sent(write.frames, write.bytes.length);
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
