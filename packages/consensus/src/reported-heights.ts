/**
 * Reported heights: how far the chain is by the heartbeats of others. A heartbeat is signed by no quorum, so one liar must not make every
 * node believe that it is behind.
 *
 * The believed height is the highest that members with more than a third of the reporting weight claim: one of them is honest as long as
 * the reporting members are as honest as the committee is. The word of a single member is taken: there is no other.
 */
export interface ReportedHeight {
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
