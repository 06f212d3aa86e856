/**
 * Installation: what was fetched takes the place of what was here, whole or not at all.
 *
 *   sync/state, sync/ledger --both whole, and one chain--> sync/ready --swap, repeated after a crash--> state, ledger
 */
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLedger, unknownAccounts } from '@slipstream/ledger';
import type { Disk, Random, Telemetry } from '@slipstream/ports';
import { installSnapshot, type StateParameters } from '@slipstream/state';
import type { GenesisHash } from '@slipstream/types';
import { diskFailure } from '../assembly/disk-failure.ts';
import type { NodeError } from '../errors.ts';
import { DATA } from '../folder/layout.ts';
import { openKeyValue } from '../world/index.ts';
import { carryRecords } from './carry-records.ts';
import type { FetchedBlock } from './fetch-blocks.ts';
import { checkGenesisLinks } from './genesis-links.ts';
import type { Manifest } from './manifest.ts';

export const STAGED = {
  state: `${DATA.sync}/state`,
  ledger: `${DATA.sync}/ledger`,
  ready: `${DATA.sync}/ready`,
} as const;

export interface Install {
  /** The data folder, absolute, and the same as a disk. */
  readonly folder: string;
  readonly disk: Disk;
  readonly telemetry: Telemetry;
  readonly random: Random;
  readonly genesisHash: GenesisHash;
  readonly parameters: StateParameters;
}

/** Throws NodeError `sync-refuted` when the files are not those of one chain. Whatever it throws, everything before is in its place. */
export async function stage(setting: Install, manifest: Manifest, blocks: readonly FetchedBlock[]): Promise<void> {
  const { disk, genesisHash, parameters } = setting;
  const { history } = parameters;
  await installSnapshot(disk, STAGED.state, manifest.snapshot, { genesisHash, history });
  await checkGenesisLinks(setting, STAGED.state, manifest);
  await writeLedger(setting, manifest, blocks);
}

/**
 * Swaps what is staged. INVARIANT: nothing more is staged once this has begun, whatever it throws: it would be swapped in as it is. Throws
 * NodeError `disk-failed`; the next start goes on.
 */
export async function install({ folder, disk }: Pick<Install, 'folder' | 'disk'>): Promise<void> {
  try {
    const ready = await disk.open(STAGED.ready, { create: true });
    await ready.close();
  } catch (cause) {
    throw swapFailure(cause);
  }
  await finishInstall(folder, disk);
}

/** Swaps what is ready; what is not ready stays for the next attempt. Throws NodeError `disk-failed`. */
export async function finishInstall(folder: string, disk: Disk): Promise<void> {
  if (!existsSync(join(folder, STAGED.ready))) return;
  try {
    // A killed process may have left that name unsynced: a power cut could take it back from what is half swapped.
    await disk.syncDirectory(DATA.sync);
    await swap(folder, disk);
  } catch (cause) {
    throw swapFailure(cause);
  }
}

function swapFailure(cause: unknown): NodeError {
  return diskFailure(`state sync: the state that was fetched could not be put in place: ${String(cause)}`, cause);
}

async function swap(folder: string, disk: Disk): Promise<void> {
  const swaps = [
    [STAGED.state, DATA.state],
    [STAGED.ledger, DATA.ledger],
  ] as const;
  for (const [from, to] of swaps) {
    if (!existsSync(join(folder, from))) continue;
    await rm(join(folder, to), { recursive: true, force: true });
    await rename(join(folder, from), join(folder, to));
  }
  // Of the blocks before: the new ledger does not know them, so retention would never come to their chunks.
  for (const gone of [DATA.snapshots, DATA.chunks, DATA.chunkFiles, DATA.chunksAside]) {
    await rm(join(folder, gone), { recursive: true, force: true });
  }
  await disk.syncDirectory('');
  await rm(join(folder, DATA.sync), { recursive: true, force: true });
  await disk.syncDirectory('');
}

async function writeLedger(
  { folder, telemetry, genesisHash }: Install,
  { preimages, certificate }: Manifest,
  blocks: readonly FetchedBlock[],
): Promise<void> {
  const location = join(folder, STAGED.ledger);
  await rm(location, { recursive: true, force: true });
  const ledger = await openLedger({ keyValue: await openKeyValue({ location }), telemetry }, { genesisHash });
  try {
    for (const [at, { blockId, block, receipts, preimage }] of blocks.entries()) {
      // Whose history a receipt belongs to is in its transaction, which is not fetched: account histories begin later.
      const executed = { blockId, block, receipts, accounts: unknownAccounts(receipts.length) };
      const isLast = at === blocks.length - 1;
      const above = preimages.filter(({ height }) => height > block.height);
      const seal = {
        preimages: isLast ? [preimage, ...above] : [preimage],
        certificate: isLast ? certificate : undefined,
        finalization: undefined,
      };
      if (at === 0 && block.height > 0) {
        await ledger.begin(executed, seal);
      } else {
        await ledger.putBlock(executed);
        await ledger.commit(blockId, seal);
      }
    }
    await carryRecords(join(folder, DATA.ledger), ledger, telemetry);
  } finally {
    await ledger.close();
  }
}
