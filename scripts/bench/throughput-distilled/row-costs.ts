/** Processor time of a node for a row, by thread: the whole of a run, fixed costs of seconds and blocks included. */
import { print } from '../../print.ts';
import { printTable } from '../claim.ts';
import type { WindowUse } from '../costs/use.ts';

export interface RowCosts {
  readonly blocksPerSecond: number;
  /** Of this process, per second. */
  readonly generatorMs: number;
  /** Mean of the nodes, the dearest first; us for a row. */
  readonly threads: readonly ThreadCost[];
  /** Of all threads. */
  readonly rowUs: number;
}

interface ThreadCost {
  readonly thread: string;
  readonly msPerSecond: number;
  readonly rowUs: number;
}

const US_PER_MS = 1_000;

export function rowCostsOf(
  use: Pick<WindowUse, 'nodes' | 'blocksPerSecond' | 'ownMsPerSecond'>,
  rowsPerSecond: number,
): RowCosts {
  const ofRow = (msPerSecond: number) => (US_PER_MS * msPerSecond) / Math.max(1, rowsPerSecond);
  const threads = [...meanNode(use)]
    .map(([thread, msPerSecond]) => ({ thread, msPerSecond, rowUs: ofRow(msPerSecond) }))
    .toSorted((a, b) => b.msPerSecond - a.msPerSecond);
  return {
    blocksPerSecond: use.blocksPerSecond,
    generatorMs: use.ownMsPerSecond,
    threads,
    rowUs: threads.reduce((sum, { rowUs }) => sum + rowUs, 0),
  };
}

/** ms per second, by thread. */
function meanNode({ nodes }: Pick<WindowUse, 'nodes'>): ReadonlyMap<string, number> {
  const mean = new Map<string, number>();
  for (const threads of nodes.values()) {
    for (const [thread, ms] of threads) mean.set(thread, (mean.get(thread) ?? 0) + ms / nodes.size);
  }
  return mean;
}

export function printRowCosts({ blocksPerSecond, generatorMs, threads, rowUs }: RowCosts): void {
  printTable(
    'Processor time of a node (mean) by thread',
    ['thread', 'ms per second', 'us a row'],
    [
      ...threads.map((each) => [each.thread, each.msPerSecond.toFixed(1), each.rowUs.toFixed(1)]),
      ['all', threads.reduce((sum, { msPerSecond }) => sum + msPerSecond, 0).toFixed(1), rowUs.toFixed(1)],
    ],
  );
  print(
    `  ${blocksPerSecond.toFixed(2)} blocks per second; the generator took ${generatorMs.toFixed(0)} ms per second`,
  );
}
