/**
 * Disk space for a snapshot, checked before fetching: sizes are a peer's claim, up to 2^53 bytes each, and a full disk ends a node. So a
 * snapshot may take half of the free space, and the rest of an attempt is deleted before the next.
 */
import type { StateSnapshot } from '@slipstream/state';
import { type DataFolder, stagedPaths } from './data-folder.ts';
import { pathOf } from './fetch-files.ts';

/** The other half is for the ledger, the log and other writers. */
const SHARE = 1 / 2;

type StagingFolder = Pick<DataFolder, 'disk' | 'paths'>;

/** Includes what an earlier attempt staged. */
export async function freeBytes(folder: Pick<DataFolder, 'disk' | 'paths' | 'freeBytes'>): Promise<number> {
  return SHARE * ((await folder.freeBytes()) + (await stagedBytes(folder)));
}

export async function stagedBytes(folder: StagingFolder): Promise<number> {
  let bytes = 0;
  for (const path of await stagedFiles(folder)) bytes += (await folder.disk.size(path)) ?? 0;
  return bytes;
}

/** Spares this snapshot's files and their prefixes, which the next attempt continues. */
export async function clearStaged(folder: StagingFolder, { files }: StateSnapshot): Promise<void> {
  const { disk, paths } = folder;
  const directory = stagedPaths(paths).state;
  const sizes = new Map(files.map((file) => [pathOf({ directory }, file), file.bytes]));
  for (const path of await stagedFiles(folder)) {
    if (((await disk.size(path)) ?? 0) > (sizes.get(path) ?? -1)) await disk.remove(path);
  }
}

async function stagedFiles({ disk, paths }: StagingFolder): Promise<readonly string[]> {
  const { state } = stagedPaths(paths);
  return (await disk.list(state)).map((name) => `${state}/${name}`);
}
