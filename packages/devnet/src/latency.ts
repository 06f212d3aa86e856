/**
 * Link delays of a worldwide network, from a table of round trips between AWS regions.
 *
 * A node delays what arrives by half of the round trip's p50, with half of p90 - p50 as jitter.
 */
import { readFileSync } from 'node:fs';

/** Milliseconds, by both regions. */
type RoundTrips = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** In this order: `aws:N` takes the first N. */
export const REGIONS = [
  'us-west-1',
  'us-east-1',
  'eu-west-1',
  'ap-northeast-1',
  'eu-north-1',
  'ap-south-1',
  'sa-east-1',
  'eu-central-1',
  'ap-northeast-2',
  'ap-southeast-2',
] as const;

/** Regions of a text such as `aws:10`, for the nodes in turn. Undefined for another text. */
export function regionsOf(latency: string): readonly string[] | undefined {
  const [kind, text] = latency.split(':');
  const number = Number(text);
  const known = kind === 'aws' && Number.isInteger(number) && number >= 1 && number <= REGIONS.length;
  return known ? REGIONS.slice(0, number) : undefined;
}

/** `network.delays` of each node. `peers`: network keys, in the order of the nodes. */
export function linkDelays(peers: readonly string[], regions: readonly string[]): readonly (readonly string[])[] {
  const p50 = readRoundTrips('aws-p50');
  const p90 = readRoundTrips('aws-p90');
  const regionOf = (index: number) => regions[index % regions.length] as string;
  return peers.map((_, to) =>
    peers.flatMap((peer, from) => {
      if (from === to) return [];
      const median = roundTrip(p50, regionOf(from), regionOf(to));
      const slow = Math.max(median, roundTrip(p90, regionOf(from), regionOf(to)));
      return [`${peer}=${(median / 2).toFixed(2)}+${((slow - median) / 2).toFixed(2)}`];
    }),
  );
}

export function readRoundTrips(name: 'aws-p50' | 'aws-p90'): RoundTrips {
  const file = new URL(`../data/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly data: RoundTrips }).data;
}

function roundTrip(table: RoundTrips, from: string, to: string): number {
  const ms = table[from]?.[to];
  if (ms === undefined) throw new RangeError(`the table has no round trip from ${from} to ${to}`);
  return ms;
}
