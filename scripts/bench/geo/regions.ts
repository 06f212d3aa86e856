/** Ten regions, with delays of the tables of packages/devnet/data. */
import { REGIONS, readRoundTrips } from '@slipstream/devnet';
import type { Draw } from './network-limit.ts';

export { REGIONS };

export const ROUND_TRIP_P50_MS = readRoundTrips('aws-p50');
export const ROUND_TRIP_P90_MS = readRoundTrips('aws-p90');

export function regionOf(member: number): string {
  return REGIONS[member % REGIONS.length] as string;
}

/** Half of the round trip, with nearly normal jitter whose deviation is half of p90 - p50. */
export function drawDelays(unit: () => number): Draw {
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
  return (from, to) => {
    const p50 = ROUND_TRIP_P50_MS[regionOf(from)]?.[regionOf(to)] as number;
    const p90 = ROUND_TRIP_P90_MS[regionOf(from)]?.[regionOf(to)] as number;
    return Math.max(0, (p50 + (p90 - p50) * normal()) / 2);
  };
}
