/** Rates of a chain of full blocks: as the network made them, and as another node replayed them. */

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

export interface Rates {
  readonly transactions: number;
  readonly blocks: number;
  readonly madePerSecond: number;
  readonly replayedPerSecond: number;
}

/**
 * Over the same blocks: those after the first reading above the lowest block, up to the last block. The readings end at that block or
 * above. Undefined when they show too few blocks to divide by.
 */
export function ratesOf(blocks: readonly MadeBlock[], readings: readonly Progress[]): Rates | undefined {
  const [lowest, last] = [blocks[0], blocks.at(-1)];
  if (lowest === undefined || last === undefined) return undefined;
  const begin = readings.find(({ height }) => height >= lowest.height);
  const end = readings.find(({ height }) => height >= last.height);
  const before = blocks.find(({ height }) => height === begin?.height);
  if (begin === undefined || end === undefined || before === undefined) return undefined;
  const counted = blocks.filter(({ height }) => height > begin.height);
  const transactions = counted.reduce((sum, block) => sum + block.transactions, 0);
  const [madeMs, replayMs] = [last.timestampMs - before.timestampMs, end.atMs - begin.atMs];
  if (transactions === 0 || madeMs <= 0 || replayMs <= 0) return undefined;
  return {
    transactions,
    blocks: counted.length,
    madePerSecond: (transactions * 1_000) / madeMs,
    replayedPerSecond: (transactions * 1_000) / replayMs,
  };
}
