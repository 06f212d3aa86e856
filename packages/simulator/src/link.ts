/**
 * Link: one direction between two peers. Decides what becomes of a frame and when it arrives.
 *
 * Frames of a lane never overtake one another, unless `reorderRate` says so: that one waits longer than those behind it.
 */
import { LANES, type Lane } from '@slipstream/ports';
import type { LatencyModel } from './latency.ts';
import type { SeededRandom } from './random.ts';

export interface LinkFaults {
  readonly latency: LatencyModel;
  /** Each frame is lost with this probability. */
  readonly lossRate: number;
  /** Each frame arrives twice with this probability. */
  readonly duplicateRate: number;
  /** Each frame is held back with this probability, for up to reorderMs, and others overtake it. */
  readonly reorderRate: number;
  readonly reorderMs: number;
  /** Loses everything, and nobody is told: a partition. */
  readonly dropsFrames: boolean;
}

export interface Link {
  faults: LinkFaults;
  /** Delays of the copies that arrive, from now on; none when the frame is lost. */
  carry(lane: Lane, nowMs: number): readonly number[];
  /** One delay, for what is no frame (a connection made or lost). */
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
