/**
 * Quota of one connection below its lanes: records and muxer frames of any kind.
 *
 * A lane's quota counts that lane's frames. A peer can also cut one frame into single bytes, or send muxer frames of no lane: empty window
 * updates, data of closed streams. Each is cheap, but without a quota they would fill the main thread. Excess is not read and waits at its
 * sender.
 *
 *   records --> count --> over the quota? --yes--> the connection is paused, down to its socket, until the quota allows more
 */
import type { MessageStream, Stream } from '@libp2p/interface';
import type { Clock } from '@slipstream/ports';
import { tryPause, tryResume } from './closing.ts';
import type { Quota } from './limits.ts';
import { createTrafficQuota } from './traffic-quota.ts';

export interface MuxerMeter {
  /** Counts one record with its bytes and the muxer frames that began in it. */
  count(bytes: number, frames: number): void;
}

export interface MuxerMeterComponents {
  readonly clock: Clock;
  /** Called once for each wait. */
  throttled(): void;
}

/** The base type of streams and connections lacks the paused status. */
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
      // Waiting data arrives during the resume, whose end would undo a pause inside it, so it is processed after it.
      resuming = true;
      tryResume(connection);
      resuming = false;
      hold();
    });
  }

  connection.addEventListener('close', () => cancelWait?.());

  return {
    count(bytes, frames) {
      // The record counts as one, because decryption costs more than a frame.
      used.take(bytes, frames + 1);
      if (!resuming) hold();
    },
  };
}
