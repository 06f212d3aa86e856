/**
 * Room for a snapshot, judged before anything of it is asked for.
 *
 * A manifest proves what is in the files only once they are here. Until then their sizes are a peer's claim, up to 2^53 bytes each.
 * A peer that alone reports a snapshot could have a node write until its disk is full, and a full disk ends a node. So a snapshot may
 * take half of what is free, and what an attempt leaves behind is gone before the next one.
 */
import type { StateSnapshot } from '@slipstream/state';
import { type DataFolder, stagedPaths } from './data-folder.ts';
import { pathOf } from './fetch-files.ts';

/** The rest is for the ledger, the log, and whatever else fills this disk meanwhile. */
const SHARE = 1 / 2;

type StagingFolder = Pick<DataFolder, 'disk' | 'paths'>;

/** What a snapshot may take, what an earlier attempt staged included. */
export async function roomBytes(folder: Pick<DataFolder, 'disk' | 'paths' | 'freeBytes'>): Promise<number> {
  return SHARE * ((await folder.freeBytes()) + (await stagedBytes(folder)));
}

/** Of all that earlier attempts staged. */
export async function stagedBytes(folder: StagingFolder): Promise<number> {
  let bytes = 0;
  for (const path of await stagedFiles(folder)) bytes += (await folder.disk.size(path)) ?? 0;
  return bytes;
}

/** Removes what is staged, but for files of this snapshot, or their beginnings: a next attempt goes on from those. */
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
