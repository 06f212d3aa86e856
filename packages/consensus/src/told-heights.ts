/**
 * Told heights: how far the chain is, by the word of others. A heartbeat is nobody's proof, and one liar's word must not make every
 * node believe that it is behind.
 *
 * Believed is the highest height that more than a third of the weight of all who told says it has reached: some of them is honest
 * as long as those who tell are as honest as the committee is. Of a single one its word is taken: there is no other.
 */
export interface ToldHeight {
  readonly height: number;
  readonly weight: number;
}

export function believedHeight(told: readonly ToldHeight[]): number {
  const total = told.reduce((sum, { weight }) => sum + weight, 0);
  let reached = 0;
  for (const { height, weight } of [...told].sort((a, b) => b.height - a.height)) {
    reached += weight;
    if (3 * reached > total) return height;
  }
  return 0;
}
