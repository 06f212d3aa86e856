/**
 * How fast a node that goes by blocks gets nearer to the chain.
 *
 *   distances, one each second --> the newest and one of WINDOW_MS ago --> nearer at a rate that ends in CLOSING_MS_MAX?
 */

interface Approach {
  /** Heights between this node and the chain. */
  sample(nowMs: number, distance: number): void;
  /** `unknown`: not watched for long enough. `closing`: it is there soon, without a state of others. */
  state(): 'unknown' | 'closing' | 'staying';
}

/** A node that has just begun connects, asks for its first range and runs uncompiled code meanwhile. */
export const WINDOW_MS = 10_000;
/** A state of a million accounts takes a third of it, and the parts of the node are closed and opened for it. */
const CLOSING_MS_MAX = 60_000;

interface Sample {
  readonly atMs: number;
  readonly distance: number;
}

export function createApproach(): Approach {
  const samples: Sample[] = [];

  return {
    sample(nowMs, distance) {
      samples.push({ atMs: nowMs, distance });
      // The oldest one stays at least WINDOW_MS old.
      while ((samples[1]?.atMs ?? nowMs) <= nowMs - WINDOW_MS) samples.shift();
    },
    state() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined || last.atMs - first.atMs < WINDOW_MS) return 'unknown';
      const nearer = first.distance - last.distance;
      if (nearer <= 0) return 'staying';
      const leftMs = (last.distance * (last.atMs - first.atMs)) / nearer;
      return leftMs <= CLOSING_MS_MAX ? 'closing' : 'staying';
    },
  };
}
