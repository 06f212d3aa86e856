/**
 * Sets the data of blocks aside, so that the next start takes the state from peers. Log, sign state and audit log stay: they protect against
 * double signing, and record what operators did.
 *
 *   evidence, blocked peers --> new ledger
 *   report, recordings, chunks, state, old ledger --moved--> set-aside/N          new ledger --> ledger
 *
 * INVARIANT: the old ledger goes last, so a call that was interrupted finds all records again, and continues in the same folder.
 */

import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLedgerReader, openLedger } from '@slipstream/ledger';
import { DATA } from '@slipstream/node-home';
import type { Disk, KeyValue, Telemetry } from '@slipstream/ports';
import { copyRecords } from '@slipstream/sync/state-sync';
import type { GenesisHash } from '@slipstream/types';
import { openSealed } from './seals/sealed-level.ts';

const MOVED = [
  DATA.divergence,
  DATA.recordings,
  DATA.snapshots,
  DATA.chunks,
  DATA.chunkFiles,
  DATA.chunksAside,
  DATA.state,
  DATA.blockFiles,
  DATA.ledger,
] as const;

interface Chain {
  readonly genesisHash: GenesisHash;
  readonly telemetry: Telemetry;
}

/** `ledger`: undefined when damaged; then its records are only in what is set aside. */
export async function prepareLedger(
  folder: string,
  ledger: KeyValue | undefined,
  { genesisHash, telemetry }: Chain,
): Promise<void> {
  const location = join(folder, DATA.rebuilt);
  await rm(location, { recursive: true, force: true });
  if (ledger === undefined) return;
  const keyValue = await openSealed({ location });
  const rebuilt = await openLedger({ keyValue, telemetry }, { genesisHash });
  try {
    await copyRecords(createLedgerReader(ledger), rebuilt);
  } finally {
    await rebuilt.close();
  }
}

/** Call when no process has the folder open. Returns the new folder, relative to `folder`. */
export async function setAside(folder: string, disk: Disk): Promise<string> {
  const aside = await freeFolder(folder);
  await mkdir(join(folder, aside), { recursive: true });
  await disk.syncDirectory(DATA.setAside);
  for (const name of MOVED) {
    if (existsSync(join(folder, name))) await rename(join(folder, name), join(folder, aside, name));
  }
  await disk.syncDirectory(aside);
  await finishSetAside(folder, disk);
  return aside;
}

/** Puts the prepared ledger in place, also after an interruption. */
export async function finishSetAside(folder: string, disk: Disk): Promise<void> {
  const [prepared, ledger] = [join(folder, DATA.rebuilt), join(folder, DATA.ledger)];
  if (existsSync(prepared) && !existsSync(ledger)) await rename(prepared, ledger);
  await disk.syncDirectory('');
}

/** The newest one is continued when its ledger is missing. */
async function freeFolder(folder: string): Promise<string> {
  const names = await readdir(join(folder, DATA.setAside)).catch(() => []);
  const newest = Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
  const path = (number: number) => `${DATA.setAside}/${number}`;
  const isUnfinished = newest > 0 && !existsSync(join(folder, path(newest), DATA.ledger));
  return path(isUnfinished ? newest : newest + 1);
}
