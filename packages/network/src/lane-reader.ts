/**
 * Receiver of one lane of one connection.
 *
 *   stream --> parser --> quota --> (injected delay) --> deliver
 *                 \--offence--> the link closes
 *
 * A stream over its quota is paused: the muxer grants no window, and the peer's own queue fills and drops. So excess costs its sender, and
 * at most LANE_WINDOW_BYTES here.
 */
import type { Stream, StreamMessageEvent } from '@libp2p/interface';
import type { Clock, Lane } from '@slipstream/ports';
import { tryResume } from './closing.ts';
import type { DelayLine } from './delay-line.ts';
import { createFrameParser, type FrameOffence } from './frame-parser.ts';
import { DELAYED_BYTES_MAX, FRAME_PREFIX_BYTES } from './limits.ts';
import type { FrameLimit } from './options.ts';
import type { TrafficQuota } from './traffic-quota.ts';

export interface LaneReader {
  /** No frame is delivered before. */
  start(): void;
  stop(): void;
}

interface LaneReaderComponents {
  readonly clock: Clock;
  readonly stream: Stream;
  /** Undefined: no delay. */
  delayLine(deliver: (frame: Uint8Array) => void): DelayLine<Uint8Array> | undefined;
  deliver(frame: Uint8Array): void;
  offend(offence: FrameOffence): void;
  /** Undefined: the memory of its frames is not counted. */
  readonly begun: ((bytes: number) => () => void) | undefined;
  throttled(): void;
}

interface LaneReaderOptions {
  readonly lane: Lane;
  readonly quota: TrafficQuota;
  readonly frameLimits: ReadonlyMap<number, FrameLimit>;
}

export function createLaneReader(
  { clock, stream, delayLine, deliver, offend, begun, throttled }: LaneReaderComponents,
  { lane, quota, frameLimits }: LaneReaderOptions,
): LaneReader {
  const parser = createFrameParser(lane, frameLimits, begun);
  let running = false;
  let resuming = false;
  let delayedBytes = 0;
  let cancelWait: (() => void) | undefined;

  const delayed = delayLine((frame) => {
    delayedBytes -= frame.length;
    if (!running) return;
    deliver(frame);
    if (stream.readStatus === 'paused' && cancelWait === undefined && delayedBytes < DELAYED_BYTES_MAX) pump();
  });

  function receive(event: StreamMessageEvent): void {
    if (!running) return;
    if (event.data instanceof Uint8Array) parser.push(event.data);
    else for (const part of event.data) parser.push(part);
    if (stream.readStatus === 'readable' && !resuming) pump();
  }

  function pump(): void {
    while (running) {
      const waitMs = quota.waitMs();
      if (waitMs > 0 || delayedBytes >= DELAYED_BYTES_MAX) {
        pause();
        if (waitMs > 0) wait(waitMs);
        return;
      }
      const parsed = parser.next();
      if (!parsed.ok) {
        stop();
        offend(parsed.error);
        return;
      }
      if (parsed.value !== undefined) {
        quota.take(parsed.value.length + FRAME_PREFIX_BYTES);
        hand(parsed.value);
      } else if (!resume()) {
        return;
      }
    }
  }

  /**
   * True: more bytes came. They are processed after the resume, whose end would undo a pause inside it (libp2p 3 grants the window last).
   */
  function resume(): boolean {
    resuming = true;
    const resumed = tryResume(stream);
    resuming = false;
    return resumed && parser.pendingBytes > 0;
  }

  function hand(frame: Uint8Array): void {
    if (delayed === undefined) {
      deliver(frame);
      return;
    }
    delayedBytes += frame.length;
    delayed.push(frame);
  }

  function wait(waitMs: number): void {
    throttled();
    cancelWait = clock.after(waitMs, () => {
      cancelWait = undefined;
      pump();
    });
  }

  function pause(): void {
    if (stream.readStatus === 'readable') stream.pause();
  }

  function stop(): void {
    running = false;
    cancelWait?.();
    cancelWait = undefined;
    delayed?.clear();
    parser.stop();
    stream.removeEventListener('message', receive);
  }

  // Until start, data waits in the stream's window.
  pause();

  return {
    start() {
      running = true;
      stream.addEventListener('message', receive);
      pump();
    },
    stop,
  };
}
