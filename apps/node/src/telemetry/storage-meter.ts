/** Fsync latency of the log; in the background free space, every SPACE_MS, and sizes of the stores, every SIZES_MS. */
import { readdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { DATA } from '@slipstream/node-home';
import type { Clock, TelemetryFields } from '@slipstream/ports';
import type { StorageStats } from '@slipstream/schema';
import type { Metrics } from './metrics.ts';
import { createSlidingSamples } from './quantiles.ts';

export interface StorageMeter {
  listen(type: string, fields: TelemetryFields): void;
  read(): Partial<StorageStats>;
  stop(): void;
}

const SPACE_MS = 10_000;
/** Hundreds of files, each asked about through a thread of the disk. */
const SIZES_MS = 60_000;
/** A larger folder's size is a lower bound. */
const ENTRIES_MAX = 20_000;
const SNAPSHOTS_MAX = 64;

export function createStorageMeter(folder: string, clock: Clock, metrics: Pick<Metrics, 'gauge'>): StorageMeter {
  const samples = createSlidingSamples();
  let measured: Partial<StorageStats> = {};
  let sizesDueMs = Number.NEGATIVE_INFINITY;
  let stopped = false;
  let cancel = () => {};

  async function measureSpace(): Promise<void> {
    const space = await statfs(folder);
    const [diskFreeBytes, diskBytes] = [space.bavail * space.bsize, space.blocks * space.bsize];
    measured = { ...measured, diskFreeBytes, diskBytes };
    metrics.gauge('node_disk_free_bytes', diskFreeBytes);
  }

  async function measureFolders(): Promise<void> {
    const [log, state, store, bodies, index, files, snapshots] = await Promise.all([
      measure(join(folder, DATA.wal)),
      measure(join(folder, DATA.state)),
      measure(join(folder, DATA.ledger)),
      measure(join(folder, DATA.blockFiles)),
      measure(join(folder, DATA.chunks)),
      measure(join(folder, DATA.chunkFiles)),
      snapshotsIn(join(folder, DATA.snapshots)),
    ]);
    const ledger = { bytes: store.bytes + bodies.bytes };
    const chunks = { bytes: index.bytes + files.bytes };
    measured = {
      ...measured,
      logBytes: log.bytes,
      logFiles: log.files,
      stateBytes: state.bytes,
      ledgerBytes: ledger.bytes,
      chunkBytes: chunks.bytes,
      snapshots,
    };
    for (const [store, { bytes }] of Object.entries({ log, state, ledger, chunks })) {
      metrics.gauge('node_store_bytes', bytes, { store });
    }
  }

  async function measureDue(): Promise<void> {
    await measureSpace();
    if (clock.monotonicMs() < sizesDueMs) return;
    sizesDueMs = clock.monotonicMs() + SIZES_MS;
    await measureFolders();
  }

  function tick(): void {
    measureDue()
      .catch(() => {}) // the last figures stay; the folder's writer reports the error
      .finally(() => {
        if (!stopped) cancel = clock.after(SPACE_MS, tick);
      });
  }
  tick();

  return {
    listen(type, fields) {
      if (type === 'wal.synced') samples.add(clock.monotonicMs(), Number(fields.ms));
    },
    read() {
      const sync = samples.quantiles(clock.monotonicMs());
      return { ...measured, ...(sync && { syncMsP50: sync.p50, syncMsP99: sync.p99 }) };
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Sizes of the files without subfolders; a file that disappears meanwhile counts nothing. */
async function measure(folder: string): Promise<{ readonly bytes: number; readonly files: number }> {
  const names = await readdir(folder).catch(() => []);
  let bytes = 0;
  let files = 0;
  for (const name of names.slice(0, ENTRIES_MAX)) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (!found?.isFile()) continue;
    bytes += found.size;
    files += 1;
  }
  return { bytes, files };
}

/** Named after their batch. */
async function snapshotsIn(folder: string): Promise<{ readonly batch: number; readonly atMs: number }[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[0-9]+$/.test(name));
  const found = await Promise.all(
    names
      .toSorted()
      .slice(-SNAPSHOTS_MAX)
      .map(async (name) => {
        const made = await stat(join(folder, name, 'index')).catch(() => undefined);
        return made ? [{ batch: Number(name), atMs: Math.round(made.mtimeMs) }] : [];
      }),
  );
  return found.flat().reverse();
}
