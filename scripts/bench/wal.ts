/**
 * The `wal` bench: a round and records by size (packages/wal/bench), the start of a node against the log's size, and fsyncs in real views.
 */
import { run as runLog } from '../../packages/wal/bench/wal.ts';
import type { BenchOptions, Claim } from './claim.ts';
import { run as runViews } from './view-syncs.ts';
import { runStart } from './wal-start.ts';

export async function run(options: BenchOptions): Promise<Claim[]> {
  return [...(await runLog(options)), ...(await runStart(options)), ...(await runViews(options))];
}
