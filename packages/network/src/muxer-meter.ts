/**
 * Quota of one connection below its lanes: records and muxer frames of any kind. Lane quotas miss a frame cut into single bytes, and muxer
 * frames of no lane: empty window updates, data of closed streams.
 *
 *   records --> count --> over the quota? --yes--> the connection is paused, down to its socket, until the quota allows more
 */
import type { MessageStream, Stream } from '@libp2p/interface';
import type { Clock } from '@slipstream/ports';
import { tryPause, tryResume } from './closing.ts';
import type { Quota } from './limits.ts';
import { createTrafficQuota } from './traffic-quota.ts';

export interface MuxerMeter {
  /** A record's bytes, and the muxer frames that began in it. */
  count(bytes: number, frames: number): void;
}

export interface MuxerMeterComponents {
  readonly clock: Clock;
  throttled(): void;
}

/** The base type lacks the paused status. */
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
      // Data that arrives is processed after the resume, whose end would undo a pause inside it.
      resuming = true;
      tryResume(connection);
      resuming = false;
      hold();
    });
  }

  connection.addEventListener('close', () => cancelWait?.());

  return {
    count(bytes, frames) {
      // The record counts too: decryption costs more than a frame.
      used.take(bytes, frames + 1);
      if (!resuming) hold();
    },
  };
}
