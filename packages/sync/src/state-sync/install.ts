/**
 * Installation: the fetched state replaces the old one, whole or not at all.
 *
 *   staged state, ledger --both complete, and one chain--> marked ready --swap, repeated after a crash--> state, ledger
 */
import { openLedger, unknownAccounts } from '@slipstream/ledger';
import type { KeyValue, KeyValueOperation, Random, Telemetry } from '@slipstream/ports';
import { installSnapshot, type StateParameters } from '@slipstream/state';
import type { GenesisHash } from '@slipstream/types';
import { SyncError } from '../errors.ts';
import type { CarriedEpochs } from './carried-epochs.ts';
import { carryRecords } from './carry-records.ts';
import { type DataFolder, stagedPaths } from './data-folder.ts';
import type { FetchedBlock } from './fetch-blocks.ts';
import { checkGenesisLinks } from './genesis-links.ts';
import type { Manifest } from './manifest.ts';

interface Install {
  readonly folder: DataFolder;
  readonly telemetry: Telemetry;
  readonly random: Random;
  readonly genesisHash: GenesisHash;
  readonly parameters: StateParameters;
}

/** Throws SyncError `state-refuted` for files of more than one chain. After any error the old data is unchanged. */
export async function stage(
  setting: Install,
  manifest: Manifest,
  blocks: readonly FetchedBlock[],
  epochs: CarriedEpochs,
): Promise<void> {
  const { folder, genesisHash, parameters } = setting;
  const { disk, paths } = folder;
  const { history } = parameters;
  const staged = stagedPaths(paths);
  await installSnapshot(disk, staged.state, manifest.snapshot, { genesisHash, history });
  await checkGenesisLinks({ ...setting, disk }, staged.state, manifest);
  await writeLedger(setting, manifest, blocks, epochs);
}

/**
 * Swaps the staged data in. Call when nothing has the old data open. INVARIANT: once begun, nothing more is staged, even after an error: the
 * next start would swap it in. Throws SyncError `swap-failed`; the next start continues.
 */
export async function install(setting: Install): Promise<void> {
  const { folder } = setting;
  try {
    await carryOver(setting);
    const ready = await folder.disk.open(stagedPaths(folder.paths).ready, { create: true });
    await ready.close();
  } catch (cause) {
    throw swapFailure(cause);
  }
  await finishInstall(folder);
}

/** Swaps in data marked ready; other staged data stays for the next attempt. Throws SyncError `swap-failed`. */
export async function finishInstall(folder: DataFolder): Promise<void> {
  const { disk, paths } = folder;
  if (!(await folder.exists(stagedPaths(paths).ready))) return;
  try {
    // A killed process may have left the mark unsynced: a power loss could remove it after half of the swap.
    await disk.syncDirectory(paths.staging);
    await swap(folder);
  } catch (cause) {
    throw swapFailure(cause);
  }
}

function swapFailure(cause: unknown): SyncError {
  const message = `state sync: the state that was fetched could not be put in place: ${String(cause)}`;
  return new SyncError('swap-failed', message, {}, cause);
}

async function swap(folder: DataFolder): Promise<void> {
  const { disk, paths } = folder;
  const staged = stagedPaths(paths);
  const swaps = [
    [staged.state, paths.state],
    [staged.ledger, paths.ledger],
  ] as const;
  for (const [from, to] of swaps) if (await folder.exists(from)) await folder.replaceFolder(from, to);
  for (const gone of paths.outdated) await folder.removeFolder(gone);
  await disk.syncDirectory('');
  await folder.removeFolder(paths.staging);
  await disk.syncDirectory('');
}

async function writeLedger(
  { folder, telemetry, genesisHash }: Install,
  { preimages, certificate }: Manifest,
  blocks: readonly FetchedBlock[],
  { entries, begun }: CarriedEpochs,
): Promise<void> {
  const path = stagedPaths(folder.paths).ledger;
  await folder.removeFolder(path);
  const keyValue = await folder.openLedgerStore(path);
  const ledger = await openLedger({ keyValue: syncedAtClose(keyValue), telemetry }, { genesisHash });
  try {
    await ledger.putEpochs(entries);
    for (const [at, { blockId, block, receipts, batches, preimage }] of blocks.entries()) {
      // The accounts are in the unfetched transactions: account histories begin later.
      const executed = { blockId, block, receipts, accounts: unknownAccounts(receipts.length), batches };
      const isLast = at === blocks.length - 1;
      const above = preimages.filter(({ height }) => height > block.height);
      const seal = {
        preimages: isLast ? [preimage, ...above] : [preimage],
        certificate: isLast ? certificate : undefined,
        finalization: undefined,
        newEpoch: begun.get(block.height),
      };
      if (at === 0 && block.height > 0) {
        await ledger.begin(executed, seal);
      } else {
        await ledger.putBlock(executed);
        await ledger.commit(blockId, seal);
      }
    }
  } finally {
    await ledger.close();
  }
}

/** A minute has thousands of writes, and each sync waits for the disk. Nothing reads the staged ledger before it is closed. */
function syncedAtClose(keyValue: KeyValue): KeyValue {
  let last: readonly KeyValueOperation[] = [];
  return {
    ...keyValue,
    batch(operations) {
      last = operations;
      return keyValue.batch(operations);
    },
    async close() {
      // Again, synced: that makes all earlier writes durable.
      await keyValue.batch(last, { sync: true });
      await keyValue.close();
    },
  };
}

/** Evidence, blocked peers and earlier epochs go from the old ledger to the staged one. */
async function carryOver({ folder, telemetry, genesisHash }: Install): Promise<void> {
  const keyValue = await folder.openLedgerStore(stagedPaths(folder.paths).ledger);
  const ledger = await openLedger({ keyValue, telemetry }, { genesisHash });
  try {
    await carryRecords(folder, folder.paths.ledger, ledger, telemetry);
  } finally {
    await ledger.close();
  }
}
