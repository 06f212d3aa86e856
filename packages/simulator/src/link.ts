/** One direction between two peers. Frames of a lane arrive in order, except those that `reorderRate` delays. */
import { LANES, type Lane } from '@slipstream/ports';
import type { LatencyModel } from './latency.ts';
import type { SeededRandom } from './random.ts';

export interface LinkFaults {
  readonly latency: LatencyModel;
  readonly lossRate: number;
  /** Probability of a second arrival. */
  readonly duplicateRate: number;
  /** Probability of a delay by up to reorderMs, so that others overtake. */
  readonly reorderRate: number;
  readonly reorderMs: number;
  /** Without notice to either side: a partition. */
  readonly dropsFrames: boolean;
}

export interface Link {
  faults: LinkFaults;
  /** Of the frame and its duplicate, ms from now; empty: lost. */
  carry(lane: Lane, nowMs: number): readonly number[];
  /** For making a connection. */
  delayMs(): number;
}

export function createLink(from: string, to: string, faults: LinkFaults, random: SeededRandom): Link {
  const lastArrivalMs = new Float64Array(LANES.length);

  function carry(this: Link, lane: Lane, nowMs: number): readonly number[] {
    const { latency, lossRate, duplicateRate, reorderRate, reorderMs, dropsFrames } = this.faults;
    if (dropsFrames || random.chance(lossRate)) return [];
    const index = LANES.indexOf(lane);
    const arrivalMs = nowMs + latency(from, to, random);
    if (random.chance(reorderRate)) return [arrivalMs + random.unit() * reorderMs - nowMs];
    const orderedMs = Math.max(arrivalMs, lastArrivalMs[index] as number);
    const copies = random.chance(duplicateRate) ? [orderedMs, orderedMs] : [orderedMs];
    lastArrivalMs[index] = orderedMs;
    return copies.map((atMs) => atMs - nowMs);
  }

  return {
    faults,
    carry,
    delayMs() {
      return this.faults.latency(from, to, random);
    },
  };
}
