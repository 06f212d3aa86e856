/**
 * Uplink: frames wait for bandwidth, or for one slow reader; urgent lanes go first. As in the real transport, each lane and peer has a
 * limit, above which the oldest are dropped.
 */
import { LANES, type Lane } from '@slipstream/ports';

interface QueuedFrame {
  readonly to: string;
  readonly lane: Lane;
  readonly frame: Uint8Array;
}

interface UplinkOptions {
  /** Read when a frame begins to leave. */
  bytesPerMs(): number;
  readonly queueBytesMax: number;
  schedule(delayMs: number, action: () => void): void;
  /** The last byte has left. */
  transmit(queued: QueuedFrame): void;
  /** For newer frames. */
  drop(queued: QueuedFrame): void;
}

export interface Uplink {
  /** False: a frame was dropped for this one. */
  send(queued: QueuedFrame): boolean;
  queuedBytes(to: string): number;
  clear(): void;
}

export function createUplink({ bytesPerMs, queueBytesMax, schedule, transmit, drop }: UplinkOptions): Uplink {
  const queues = new Map<Lane, QueuedFrame[]>(LANES.map((lane) => [lane, []]));
  let busy = false;
  let generation = 0;

  function send(queued: QueuedFrame): boolean {
    const queue = queues.get(queued.lane) as QueuedFrame[];
    queue.push(queued);
    let bytes = 0;
    for (const { to, frame } of queue) if (to === queued.to) bytes += frame.length;
    let took = true;
    for (let i = 0; bytes > queueBytesMax && i < queue.length; ) {
      const oldest = queue[i] as QueuedFrame;
      if (oldest.to !== queued.to) {
        i++;
        continue;
      }
      queue.splice(i, 1);
      bytes -= oldest.frame.length;
      took = false;
      drop(oldest);
    }
    if (!busy) transmitNext();
    return took;
  }

  function transmitNext(): void {
    const next = takeNext();
    busy = next !== undefined;
    if (next === undefined) return;
    const startedIn = generation;
    schedule(next.frame.length / bytesPerMs(), () => {
      if (startedIn !== generation) return;
      transmit(next);
      transmitNext();
    });
  }

  function takeNext(): QueuedFrame | undefined {
    for (const lane of LANES) {
      const next = queues.get(lane)?.shift();
      if (next !== undefined) return next;
    }
    return undefined;
  }

  return {
    send,
    queuedBytes(to) {
      let bytes = 0;
      for (const queue of queues.values())
        for (const queued of queue) if (queued.to === to) bytes += queued.frame.length;
      return bytes;
    },
    clear() {
      generation++;
      busy = false;
      for (const queue of queues.values()) queue.length = 0;
    },
  };
}
