/** The `wal` bench: the log alone (packages/wal/bench), then in a real view of the node. */

import { run as runLog } from '../../packages/wal/bench/wal.ts';
import type { BenchOptions, Claim } from './claim.ts';
import { run as runViews } from './view-syncs.ts';

export async function run(options: BenchOptions): Promise<Claim[]> {
  return [...(await runLog(options)), ...(await runViews(options))];
}
