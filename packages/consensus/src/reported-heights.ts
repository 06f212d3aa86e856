/**
 * Reported heights: the chain's height by other members' heartbeats, of which one liar must not convince a node that it is behind.
 *
 * The believed height is the highest that more than a third of the reporting weight claims: one of them is honest if the reporting
 * members are as honest as the committee. A single reporting member is believed.
 */
interface ReportedHeight {
  readonly height: number;
  readonly weight: number;
}

export function believedHeight(reported: readonly ReportedHeight[]): number {
  const total = reported.reduce((sum, { weight }) => sum + weight, 0);
  let reached = 0;
  for (const { height, weight } of [...reported].sort((a, b) => b.height - a.height)) {
    reached += weight;
    if (3 * reached > total) return height;
  }
  return 0;
}
