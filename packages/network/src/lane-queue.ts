/**
 * Unsent frames of one peer and lane: bounded, dropping the oldest. A partly sent frame must be finished, or the stream loses its framing.
 */
import { FRAME_PREFIX_BYTES, type QueueLimit, WRITE_BYTES_MAX } from './limits.ts';

export interface LaneQueue {
  readonly bytes: number;
  readonly frames: number;
  /** Returns the number of older frames dropped. */
  push(frame: Uint8Array): number;
  /** At most WRITE_BYTES_MAX bytes, and the number of frames completed; undefined: empty. */
  take(): { readonly bytes: Uint8Array; readonly frames: number } | undefined;
  /** For a new stream: a partly sent frame restarts. */
  rewind(): void;
  clear(): number;
}

/** Consumed entries before the array is cut. */
const COMPACT_AT = 1_024;

export function createLaneQueue(limit: QueueLimit): LaneQueue {
  let queue: Uint8Array[] = [];
  let first = 0;
  let bytes = 0;
  /** Being sent, with its sent bytes. */
  let current: Uint8Array | undefined;
  let sent = 0;

  function shift(): Uint8Array | undefined {
    const frame = queue[first];
    if (frame === undefined) return undefined;
    first++;
    if (first >= COMPACT_AT && first * 2 >= queue.length) {
      queue = queue.slice(first);
      first = 0;
    }
    bytes -= frame.length;
    return frame;
  }

  function push(frame: Uint8Array): number {
    let dropped = 0;
    while (queue.length - first >= limit.framesMax || (bytes + frame.length > limit.bytesMax && first < queue.length)) {
      shift();
      dropped++;
    }
    queue.push(frame);
    bytes += frame.length;
    return dropped;
  }

  function writeBytes(): number {
    let total = current === undefined ? 0 : current.length - sent;
    for (let i = first; i < queue.length && total < WRITE_BYTES_MAX; i++) {
      total += FRAME_PREFIX_BYTES + (queue[i] as Uint8Array).length;
    }
    return Math.min(total, WRITE_BYTES_MAX);
  }

  function take(): { bytes: Uint8Array; frames: number } | undefined {
    const length = writeBytes();
    if (length === 0) return undefined;
    if (current !== undefined && current.length - sent > length) {
      const part = current.subarray(sent, sent + length);
      sent += length;
      return { bytes: part, frames: 0 };
    }
    const write = Buffer.allocUnsafe(length);
    let at = 0;
    let frames = 0;
    while (at < length) {
      if (current === undefined) {
        if (length - at < FRAME_PREFIX_BYTES) break;
        current = shift();
        if (current === undefined) break;
        sent = 0;
        at = write.writeUInt32LE(current.length, at);
      }
      const part = Math.min(length - at, current.length - sent);
      write.set(current.subarray(sent, sent + part), at);
      at += part;
      sent += part;
      if (sent === current.length) {
        current = undefined;
        frames++;
      }
    }
    return { bytes: at === length ? write : write.subarray(0, at), frames };
  }

  function rewind(): void {
    if (current === undefined) return;
    queue = [current, ...queue.slice(first)];
    first = 0;
    bytes += current.length;
    current = undefined;
  }

  function clear(): number {
    const frames = queue.length - first + (current === undefined ? 0 : 1);
    queue = [];
    first = 0;
    bytes = 0;
    current = undefined;
    return frames;
  }

  return {
    get bytes() {
      return bytes + (current === undefined ? 0 : current.length - sent);
    },
    get frames() {
      return queue.length - first;
    },
    push,
    take,
    rewind,
    clear,
  };
}
