/** Traffic with all peers by lane, since the start. Without the muxer's and the handshake's own bytes. */
import { LANES, type Lane } from '@slipstream/ports';

interface LaneCounts {
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly framesIn: number;
  readonly framesOut: number;
}

export type Traffic = Readonly<Record<Lane, LaneCounts>>;

interface LaneTraffic {
  received(lane: Lane, bytes: number): void;
  sent(lane: Lane, frames: number, bytes: number): void;
  read(): Traffic;
}

export function createLaneTraffic(): LaneTraffic {
  const none = () => ({ bytesIn: 0, bytesOut: 0, framesIn: 0, framesOut: 0 });
  const lanes = Object.fromEntries(LANES.map((lane) => [lane, none()])) as Record<Lane, ReturnType<typeof none>>;
  return {
    received(lane, bytes) {
      const counts = lanes[lane];
      counts.framesIn++;
      counts.bytesIn += bytes;
    },
    sent(lane, frames, bytes) {
      const counts = lanes[lane];
      counts.framesOut += frames;
      counts.bytesOut += bytes;
    },
    read: () => Object.fromEntries(LANES.map((lane) => [lane, { ...lanes[lane] }])) as unknown as Traffic,
  };
}
