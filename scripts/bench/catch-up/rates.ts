/** Rates of a chain: as a network made its full blocks, and as another node replayed all of it. */

export interface MadeBlock {
  readonly height: number;
  readonly timestampMs: number;
  readonly transactions: number;
}

/** What a node had committed at a moment. */
export interface Progress {
  readonly atMs: number;
  readonly height: number;
}

/** Transactions per second between the timestamps of the first block and the last. Undefined for fewer than two blocks. */
export function madePerSecond(blocks: readonly MadeBlock[]): number | undefined {
  const [first, ...others] = blocks;
  const last = others.at(-1);
  if (first === undefined || last === undefined || last.timestampMs <= first.timestampMs) return undefined;
  return (transactionsOf(others) * 1_000) / (last.timestampMs - first.timestampMs);
}

/**
 * Transactions per second from the first reading, of a node with nothing, to the one that shows the last block: a node verifies hundreds of
 * blocks before it commits the first, so a rate from there would count work that was done before. Undefined when no reading shows it.
 */
export function replayedPerSecond(chain: readonly MadeBlock[], readings: readonly Progress[]): number | undefined {
  const [begin, last] = [readings[0], chain.at(-1)];
  const end = last && readings.find(({ height }) => height >= last.height);
  if (begin === undefined || end === undefined || begin.height > 0 || end.atMs <= begin.atMs) return undefined;
  return (transactionsOf(chain) * 1_000) / (end.atMs - begin.atMs);
}

export function transactionsOf(blocks: readonly MadeBlock[]): number {
  return blocks.reduce((sum, { transactions }) => sum + transactions, 0);
}
