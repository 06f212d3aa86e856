/**
 * Quota of one connection below its lanes: records and muxer frames, whatever they are for.
 *
 * A lane's quota counts that lane's frames. A peer may cut one of them into single bytes, or send frames that belong to no lane
 * at all: window updates of nothing, data of streams that are gone. Each costs a fraction of what a lane's frame does, and without
 * a quota a peer fills a main thread with them. As with lanes, what is above is not read: it waits in its sender.
 *
 *   records --> count --> over the quota? --yes--> the connection is paused, down to its socket, until the quota allows more
 */
import type { MessageStream, Stream } from '@libp2p/interface';
import type { Clock } from '@slipstream/ports';
import { tryPause, tryResume } from './closing.ts';
import type { Quota } from './limits.ts';
import { createTrafficQuota } from './traffic-quota.ts';

export interface MuxerMeter {
  /** One record was read: so many bytes, and so many muxer frames that began in it. */
  count(bytes: number, frames: number): void;
}

export interface MuxerMeterComponents {
  readonly clock: Clock;
  /** Called once for each wait. */
  throttled(): void;
}

/** Streams and connections are one class below: its type leaves out whether it is paused. */
type Pausable = MessageStream & Pick<Stream, 'readStatus'>;

export function createMuxerMeter(
  stream: MessageStream,
  { clock, throttled }: MuxerMeterComponents,
  quota: Quota,
): MuxerMeter {
  const connection = stream as Pausable;
  const used = createTrafficQuota(clock, quota);
  let resuming = false;
  let cancelWait: (() => void) | undefined;

  function hold(): void {
    const waitMs = used.waitMs();
    if (waitMs === 0 || cancelWait !== undefined || !tryPause(connection)) return;
    throttled();
    cancelWait = clock.after(waitMs, () => {
      cancelWait = undefined;
      // What waited comes while it resumes, and a pause inside would be undone at its end: judged after it.
      resuming = true;
      tryResume(connection);
      resuming = false;
      hold();
    });
  }

  connection.addEventListener('close', () => cancelWait?.());

  return {
    count(bytes, frames) {
      // The record itself is one: decrypting it costs more than a frame does.
      used.take(bytes, frames + 1);
      if (!resuming) hold();
    },
  };
}
