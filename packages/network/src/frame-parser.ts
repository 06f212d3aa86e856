/**
 * Incremental parser of one lane: uint32 length (little-endian, with the kind byte) || kind byte || body.
 *
 * Length and kind are checked before allocation. Every byte is copied exactly once, so that no frame retains a larger buffer.
 */
import type { Lane } from '@slipstream/ports';
import { fail, ok, type Result } from '@slipstream/primitives';
import { FRAME_PREFIX_BYTES } from './limits.ts';
import type { FrameLimit } from './options.ts';

export interface FrameOffence {
  readonly reason: 'malformed-frame' | 'oversize';
  readonly detail: string;
}

export interface FrameParser {
  /** The bytes must not change until consumed. */
  push(bytes: Uint8Array): void;
  /** Undefined: more bytes are needed. After an offence the parser must not be used. */
  next(): Result<Uint8Array | undefined, FrameOffence>;
  /** Frees the memory of an unfinished frame. The parser must not be used any more. */
  stop(): void;
  readonly pendingBytes: number;
}

const HEAD_BYTES = FRAME_PREFIX_BYTES + 1;
/** Releases a consumed chunk's memory. */
const CONSUMED = new Uint8Array(0);

/** `begun`: called with the bytes of a frame that is not here whole; the result is called at its end. */
export function createFrameParser(
  lane: Lane,
  limits: ReadonlyMap<number, FrameLimit>,
  begun?: (bytes: number) => () => void,
): FrameParser {
  const chunks: Uint8Array[] = [];
  /** Of the chunk being consumed. Shifting for each chunk would be quadratic for a stream of single bytes. */
  let first = 0;
  let chunkAt = 0;
  let pendingBytes = 0;
  const head = new Uint8Array(HEAD_BYTES);
  const headView = new DataView(head.buffer);
  let headFilled = 0;
  let frame: Uint8Array | undefined;
  let frameFilled = 0;
  let ended: (() => void) | undefined;
  let stopped = false;

  function fill(target: Uint8Array, at: number): number {
    let filled = at;
    while (filled < target.length) {
      const chunk = chunks[first];
      if (chunk === undefined) break;
      const length = Math.min(target.length - filled, chunk.length - chunkAt);
      target.set(chunk.subarray(chunkAt, chunkAt + length), filled);
      filled += length;
      chunkAt += length;
      pendingBytes -= length;
      if (chunkAt === chunk.length) {
        chunks[first++] = CONSUMED;
        chunkAt = 0;
      }
    }
    // At each chunk it would be quadratic.
    if (first > 0 && 2 * first >= chunks.length) {
      chunks.splice(0, first);
      first = 0;
    }
    return filled;
  }

  function judgeHead(): FrameOffence | undefined {
    const length = headView.getUint32(0, true);
    if (length === 0) return { reason: 'malformed-frame', detail: `an empty frame on the ${lane} lane` };
    if (headFilled < HEAD_BYTES) return undefined;
    const kind = head[FRAME_PREFIX_BYTES] as number;
    const limit = limits.get(kind);
    if (limit === undefined)
      return { reason: 'malformed-frame', detail: `unknown frame kind ${kind} on the ${lane} lane` };
    if (limit.lane !== lane) {
      return {
        reason: 'malformed-frame',
        detail: `frame kind ${kind} belongs to the ${limit.lane} lane, not to ${lane}`,
      };
    }
    if (length > limit.bytesMax) {
      return {
        reason: 'oversize',
        detail: `${length} bytes of frame kind ${kind}, at most ${limit.bytesMax} are allowed`,
      };
    }
    return undefined;
  }

  function next(): Result<Uint8Array | undefined, FrameOffence> {
    if (frame === undefined) {
      headFilled = fill(head, headFilled);
      if (headFilled < FRAME_PREFIX_BYTES) return ok(undefined);
      const offence = judgeHead();
      if (offence !== undefined) return fail(offence);
      if (headFilled < HEAD_BYTES) return ok(undefined);
      frame = new Uint8Array(headView.getUint32(0, true));
      frame[0] = head[FRAME_PREFIX_BYTES] as number;
      frameFilled = 1;
    }
    frameFilled = fill(frame, frameFilled);
    if (frameFilled < frame.length) {
      ended ??= begun?.(frame.length);
      // Its own connection may have been closed for it.
      if (stopped) stop();
      return ok(undefined);
    }
    const whole = frame;
    frame = undefined;
    ended?.();
    ended = undefined;
    headFilled = 0;
    return ok(whole);
  }

  function stop(): void {
    stopped = true;
    ended?.();
    frame = undefined;
    chunks.length = 0;
  }

  return {
    push(bytes) {
      if (bytes.length === 0) return;
      chunks.push(bytes);
      pendingBytes += bytes.length;
    },
    next,
    stop,
    get pendingBytes() {
      return pendingBytes;
    },
  };
}
