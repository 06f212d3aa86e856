/**
 * The `state` bench: this store against LevelDB (`level`), synced alike; opening, memory, reverting, pauses.
 *
 * Claims: put_ratio (level over ours), batch_ms (100,000 puts, durable), bytes_per_key, open_seconds_1m, revert_ratio (taking
 * back a durable batch, level over ours), pause_p99_ms (of a block's synchronous steps over ten million accounts).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentTelemetry } from '@slipstream/ports';
import { createDisk } from '../../../apps/node/src/world/index.ts';
import { type BenchOptions, type Claim, claim, median, printRows } from '../../../scripts/bench/claim.ts';
import { openStateStore } from '../src/index.ts';
import { measureBlocks, measureOpen } from './accounts.ts';
import { measurePuts } from './puts.ts';
import { timeDisk } from './timed-disk.ts';

const FULL = {
  rounds: 15,
  puts: 100_000,
  openAccounts: 1_000_000,
  opens: 5,
  accounts: 10_000_000,
  blocks: 600,
  writes: 2_000,
};
const SMOKE = { rounds: 2, puts: 2_000, openAccounts: 5_000, opens: 1, accounts: 20_000, blocks: 20, writes: 200 };

export async function run({ smoke }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const root = await mkdtemp(join(tmpdir(), 'slipstream-state-bench-'));
  try {
    const real = createDisk({ root });
    const { disk, times } = timeDisk(real);
    const options = { directory: 'puts', genesisHash: new Uint8Array(32), genesisBlock: 'genesis' };
    const { store } = await openStateStore({ disk, telemetry: silentTelemetry }, options);
    const puts = await measurePuts(store, times, root, size);
    await store.close();
    const seconds = await measureOpen(real, size.openAccounts, size.opens);
    printRows(`opening ${size.openAccounts} accounts (median of ${size.opens})`, [['open', median(seconds), 's']]);
    const blocks = await measureBlocks(real, size);
    return [...puts, claim('open_seconds_1m', median(seconds), 's', seconds.length), ...blocks];
  } finally {
    await rm(root, { recursive: true });
  }
}
