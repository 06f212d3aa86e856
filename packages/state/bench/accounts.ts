/** Many accounts in one store: memory per key, opening time, and how long a block stops the thread. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from '@slipstream/platform';
import type { Disk } from '@slipstream/ports';
import { silentTelemetry } from '@slipstream/ports';
import { type Claim, claim, printRows, quantile, timed } from '../../../scripts/bench/claim.ts';
import { openStateStore, type StateParameters, type StateStore } from '../src/index.ts';
import { accountBatch, allAccounts } from './workload.ts';

export interface AccountsOptions {
  readonly accounts: number;
  readonly blocks: number;
  /** Writes per block, each to a random account. */
  readonly writes: number;
}

/** Forces constant compaction, as on a chain that has run for long. */
const EARLY: Partial<StateParameters> = { deadPercent: 5 };

function openAccounts(disk: Disk, directory: string, accounts: number, parameters: Partial<StateParameters> = {}) {
  return openStateStore(
    { disk, telemetry: silentTelemetry, pause: nextTurn },
    {
      directory,
      genesisHash: new Uint8Array(32),
      genesisBlock: 'genesis',
      genesisBatch: allAccounts(accounts),
      parameters,
    },
  );
}

/** Seconds to open a closed store. */
export async function measureOpen(disk: Disk, accounts: number, samples: number): Promise<number[]> {
  const seconds: number[] = [];
  await (await openAccounts(disk, 'open', accounts)).store.close();
  for (let i = 0; i < samples; i++) {
    let store: StateStore | undefined;
    seconds.push((await timed(async () => ({ store } = await openAccounts(disk, 'open', accounts)))) / 1000);
    await store?.close();
  }
  return seconds;
}

/** Time for the work that a store postpones until after a commit. */
const LATER_MS = 20;
const TICK_MS = 1;

/** The longest block of the event loop. Parts between disk calls count separately. */
async function longestPause(work: () => Promise<void>): Promise<number> {
  const delays = monitorEventLoopDelay({ resolution: TICK_MS });
  delays.enable();
  await sleep(2 * TICK_MS);
  delays.reset();
  await work();
  await sleep(LATER_MS);
  delays.disable();
  return Math.max(0, delays.max / 1e6 - TICK_MS);
}

export async function measureBlocks(disk: Disk, { accounts, blocks, writes }: AccountsOptions): Promise<Claim[]> {
  const residentBefore = process.memoryUsage().rss;
  const { store } = await openAccounts(disk, 'accounts', accounts, EARLY);
  const first = await store.stats();
  const pausesMs: number[] = [];
  let movedBytes = 0;
  for (let i = 0; i < blocks; i++) {
    const batch = accountBatch(writes, accounts);
    const block = `block ${i}`;
    let bytes = 0;
    pausesMs.push(
      await timed(() => {
        bytes = store.prepare(store.tip.block, block, batch).bytes;
      }),
    );
    movedBytes += bytes - writes * 52;
    pausesMs.push(await longestPause(() => store.append(block)));
    pausesMs.push(await longestPause(() => store.commit(block)));
  }
  const last = await store.stats();
  printRows(`${accounts} accounts, then ${blocks} blocks of ${writes} random writes`, [
    ['index, bytes a key at first', first.indexBytes / first.keys, 'bytes'],
    ['index, bytes a key at last', last.indexBytes / last.keys, 'bytes'],
    ['resident memory, growth a key', (process.memoryUsage().rss - residentBefore) / last.keys, 'bytes'],
    ['files on disk over live bytes', (last.liveBytes + last.deadBytes) / last.liveBytes, 'x'],
    ['moved in compaction and relief, a block', movedBytes / blocks / 1024, 'KiB'],
    ['pause p50', quantile(pausesMs, 0.5), 'ms'],
    ['pause p99', quantile(pausesMs, 0.99), 'ms'],
    ['longest pause', Math.max(...pausesMs), 'ms'],
  ]);
  await store.close();
  return [
    claim('bytes_per_key', Math.max(first.indexBytes, last.indexBytes) / last.keys, 'bytes', last.keys),
    claim('pause_p99_ms', quantile(pausesMs, 0.99), 'ms', pausesMs.length),
  ];
}
