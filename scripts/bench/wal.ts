/** The `wal` bench: the log alone (packages/wal/bench), then the log in a real view of the node. */

import type { BenchOptions, Claim } from '../../packages/crypto/bench/claim.ts';
import { run as runLog } from '../../packages/wal/bench/wal.ts';
import { run as runViews } from './view-syncs.ts';

export async function run(options: BenchOptions): Promise<Claim[]> {
  return [...(await runLog(options)), ...(await runViews(options))];
}
