/**
 * Room for a snapshot, judged before anything of it is asked for.
 *
 * A manifest proves what is in the files only once they are here; until then their sizes are what a peer says, up to 2^53 bytes
 * each. Who alone tells of a snapshot could have a node write until its disk is full, and a full disk ends a node. So it
 * may take half of what is free, and what an attempt leaves behind is gone before the next one.
 */
import { statfs } from 'node:fs/promises';
import type { Disk } from '@slipstream/ports';
import type { StateSnapshot } from '@slipstream/state';
import { pathOf } from './fetch-files.ts';
import { STAGED } from './install.ts';

/** The rest is for the ledger, the log, and whatever else fills this disk meanwhile. */
const SHARE = 1 / 2;

/** What a snapshot may take, what an earlier attempt staged included. `folder`: absolute, and the same as a disk. */
export async function roomBytes(folder: string, disk: Disk): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return SHARE * (bavail * bsize + (await stagedBytes(disk)));
}

/** Of all that earlier attempts staged. */
export async function stagedBytes(disk: Disk): Promise<number> {
  let bytes = 0;
  for (const path of await stagedFiles(disk)) bytes += (await disk.size(path)) ?? 0;
  return bytes;
}

/** Removes what is staged, but for files of this snapshot, or their beginnings: a next attempt goes on from those. */
export async function clearStaged(disk: Disk, { files }: StateSnapshot): Promise<void> {
  const sizes = new Map(files.map((file) => [pathOf({ directory: STAGED.state }, file), file.bytes]));
  for (const path of await stagedFiles(disk)) {
    if (((await disk.size(path)) ?? 0) > (sizes.get(path) ?? -1)) await disk.remove(path);
  }
}

async function stagedFiles(disk: Disk): Promise<readonly string[]> {
  return (await disk.list(STAGED.state)).map((name) => `${STAGED.state}/${name}`);
}
