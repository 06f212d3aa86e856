/**
 * The `state` bench: this store against LevelDB (`level`) with the same syncs; opening, memory, reverting, pauses.
 *
 * Claims: put_ratio (level over this store), batch_ms (100,000 durable puts), bare_batch_ms (the same bytes hashed, written, synced),
 * sustained_put_ratio (without pauses, so LevelDB's later work counts), put_cpu_ratio, bytes_per_key, open_seconds_1m, revert_ratio (level
 * over this store), pause_p99_ms (a block's synchronous steps over ten million accounts).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDisk, nextTurn } from '@slipstream/platform';
import { type Disk, silentTelemetry } from '@slipstream/ports';
import { type BenchOptions, type Claim, claim, median, printRows } from '../../../scripts/bench/claim.ts';
import { openStateStore, type StateStore } from '../src/index.ts';
import { measureBlocks, measureOpen } from './accounts.ts';
import { measurePuts } from './puts.ts';
import { measureSustained } from './sustained.ts';

const FULL = {
  rounds: 15,
  stints: 6,
  puts: 100_000,
  openAccounts: 1_000_000,
  opens: 5,
  accounts: 10_000_000,
  blocks: 600,
  writes: 2_000,
};
const SMOKE = {
  rounds: 2,
  stints: 1,
  puts: 2_000,
  openAccounts: 5_000,
  opens: 1,
  accounts: 20_000,
  blocks: 20,
  writes: 200,
};

export const parts = ['puts', 'sustained', 'open', 'accounts'] as const;

export async function run({ smoke, part }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const root = await mkdtemp(join(tmpdir(), 'slipstream-state-bench-'));
  const disk = createDisk({ root });
  const runs: Readonly<Record<(typeof parts)[number], () => Promise<Claim[]>>> = {
    puts: () => comparePuts(disk, root, size),
    sustained: () => compareSustained(disk, root, size),
    open: () => timeOpening(disk, size),
    accounts: () => measureBlocks(disk, size),
  };
  try {
    const claims: Claim[] = [];
    for (const each of parts) if (part === undefined || part === each) claims.push(...(await runs[each]()));
    return claims;
  } finally {
    await rm(root, { recursive: true });
  }
}

async function comparePuts(disk: Disk, root: string, size: typeof FULL): Promise<Claim[]> {
  const store = await openEmpty(disk, 'puts');
  const claims = await measurePuts(store, disk, root, size);
  await store.close();
  return claims;
}

async function compareSustained(disk: Disk, root: string, size: typeof FULL): Promise<Claim[]> {
  const store = await openEmpty(disk, 'sustained');
  const claims = await measureSustained(store, root, size);
  await store.close();
  return claims;
}

async function openEmpty(disk: Disk, directory: string): Promise<StateStore> {
  const options = { directory, genesisHash: new Uint8Array(32), genesisBlock: 'genesis' };
  return (await openStateStore({ disk, telemetry: silentTelemetry, pause: nextTurn }, options)).store;
}

async function timeOpening(disk: Disk, { openAccounts, opens }: typeof FULL): Promise<Claim[]> {
  const seconds = await measureOpen(disk, openAccounts, opens);
  printRows(`opening ${openAccounts} accounts (median of ${opens})`, [['open', median(seconds), 's']]);
  return [claim('open_seconds_1m', median(seconds), 's', seconds.length)];
}
