/** Takes a snapshot of each due batch, and removes the oldest ones. */
import type { Disk, Telemetry } from '@slipstream/ports';
import { sha256 } from '@slipstream/primitives';
import type { Committed } from '../committed/committed.ts';
import { logName } from '../log/format.ts';
import { folderOf, INDEX, type SnapshotFile, stateSnapshotCodec } from './snapshot.ts';

/** Links created at once: the store's writes share the disk's threads. */
const LINKS_AT_ONCE = 16;

export interface SnapshotPolicy {
  /** On the store's file system. */
  readonly directory: string;
  /** Batches between two snapshots. Equal on all nodes, or they cannot serve together. */
  readonly every: number;
  /** Number of retained snapshots. */
  readonly keep: number;
}

export interface Snapshots {
  /** Call after each commit, while nothing changes the files. */
  committed(committed: Pick<Committed, 'tip' | 'logs'>): Promise<void>;
}

export function createSnapshots(
  { disk, telemetry, source }: { readonly disk: Disk; readonly telemetry: Telemetry; readonly source: string },
  { directory, every, keep }: SnapshotPolicy,
): Snapshots {
  async function take({ tip, logs }: Pick<Committed, 'tip' | 'logs'>): Promise<void> {
    const folder = folderOf(directory, tip.batch);
    await removeFolder(disk, folder);
    await disk.makeDirectory(folder);
    const files = [...logs.file].flatMap((file, slot): SnapshotFile[] =>
      file < 0 ? [] : [{ file, bytes: logs.bytes[slot] as number, checksum: logs.tip[slot] as Uint8Array }],
    );
    for (let at = 0; at < files.length; at += LINKS_AT_ONCE) {
      const some = files.slice(at, at + LINKS_AT_ONCE).map(({ file }) => logName(file));
      await Promise.all(some.map((name) => disk.link(`${source}/${name}`, `${folder}/${name}`)));
    }
    const index = await disk.open(`${folder}/${INDEX}`, { create: true });
    const bytes = stateSnapshotCodec.encode({ ...tip, files });
    try {
      await index.write(0, [bytes, sha256(bytes)]);
      await index.sync();
    } finally {
      await index.close();
    }
    await disk.syncDirectory(folder);
    for (const older of (await disk.list(directory)).slice(0, -keep)) await removeFolder(disk, `${directory}/${older}`);
    telemetry.gauge('state_snapshot_batch', tip.batch);
  }

  return {
    async committed(committed) {
      if (committed.tip.batch === 0 || committed.tip.batch % every !== 0) return;
      try {
        await take(committed);
      } catch (error) {
        // The store is sound, and peers can fetch from another node.
        telemetry.log('warn', 'state: taking a snapshot failed', { error: String(error) });
      }
    },
  };
}

async function removeFolder(disk: Disk, folder: string): Promise<void> {
  const names = await disk.list(folder);
  // Index first: after a crash the folder counts as unfinished.
  for (const name of [INDEX, ...names]) if (names.includes(name)) await disk.remove(`${folder}/${name}`);
  await disk.removeDirectory(folder);
}
