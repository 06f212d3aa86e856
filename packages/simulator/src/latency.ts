/** One-way delays, in ms. */
import type { SeededRandom } from './random.ts';

export type LatencyModel = (from: string, to: string, random: SeededRandom) => number;

export function constantLatency(ms: number): LatencyModel {
  return () => ms;
}

export function uniformLatency(fromMs: number, toMs: number): LatencyModel {
  return (_from, _to, random) => fromMs + random.unit() * (toMs - fromMs);
}

/** Normal, cut at `minMs`. */
export function jitteredLatency(meanMs: number, jitterMs: number, minMs = 0): LatencyModel {
  return (_from, _to, random) => Math.max(minMs, meanMs + jitterMs * bell(random));
}

/** ms between regions: `[from][to]`. */
type RoundTripTable = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface RegionLatencyOptions {
  readonly regions: ReadonlyMap<string, string>;
  readonly roundTripP50Ms: RoundTripTable;
  readonly roundTripP90Ms: RoundTripTable;
}

/** Mean: half of the median round trip; jitter: half of p90 - p50. Throws RangeError for a missing pair of regions. */
export function regionLatency({ regions, roundTripP50Ms, roundTripP90Ms }: RegionLatencyOptions): LatencyModel {
  return (from, to, random) => {
    const fromRegion = regions.get(from) ?? '';
    const toRegion = regions.get(to) ?? '';
    const p50 = roundTripP50Ms[fromRegion]?.[toRegion];
    const p90 = roundTripP90Ms[fromRegion]?.[toRegion];
    if (p50 === undefined || p90 === undefined) {
      throw new RangeError(`the table has no round trip from "${fromRegion}" to "${toRegion}"`);
    }
    return Math.max(0, (p50 + (p90 - p50) * bell(random)) / 2);
  };
}

/** Nearly normal, mean 0, deviation 1, within +-3.5 (Irwin-Hall: a sum of four uniforms, scaled). */
function bell(random: SeededRandom): number {
  const sum = random.unit() + random.unit() + random.unit() + random.unit();
  return (sum - 2) * Math.sqrt(3);
}
