/**
 * Seals the files of an open LevelDB in rounds, one after another.
 *
 *   tables in use --> whole                logs, manifest --> synced, then up to their end before the sync
 *
 * INVARIANT: sealed bytes are durable, and LevelDB never changes them: no power loss or kill leaves a file that differs from its seal.
 * LevelDB syncs a table before it is in use; it reuses only numbers of tables not in use.
 */
import type { Disk } from '@slipstream/ports';
import { fileCrc } from './file-crc.ts';
import { levelFileOf } from './level-names.ts';
import { type Round, replaceSeals, type SealedFile, type SealLog, type Seals, unlessRemoved } from './seal-file.ts';

export interface Sealer {
  /** `tablesInUse`: numbers. */
  round(tablesInUse: ReadonlySet<number>): Promise<void>;
  /** Recorded for the next opening. */
  foundDamaged(name: string): Promise<void>;
  released(name: string): void;
  close(): Promise<void>;
}

/** The file is rewritten when its rounds exceed this multiple of all seals, and a minimum. */
const ROUNDS_RATIO = 2;
const ROUNDS_BYTES_MIN = 65_536;

/** Takes over `sealed`; `held`: tables whose seals stay although LevelDB removed them. */
export function createSealer(disk: Disk, sealed: Seals['files'], held: Set<string>): Sealer {
  const damagedNames: string[] = [];
  let log: SealLog | undefined;
  let bytesMax = 0;

  async function write(round: Round): Promise<void> {
    const { sealed: more, removed, damaged } = round;
    for (const file of more) sealed.set(file.name, file);
    for (const name of removed) sealed.delete(name);
    damagedNames.push(...damaged);
    const open = log;
    log = undefined;
    if (open !== undefined && open.bytes < bytesMax) {
      await open.append(round);
      log = open;
      return;
    }
    await open?.close();
    log = await replaceSeals(disk, [...sealed.values()], damagedNames);
    bytesMax = ROUNDS_BYTES_MIN + ROUNDS_RATIO * log.bytes;
  }

  async function sealOf(name: string, tablesInUse: ReadonlySet<number>): Promise<SealedFile | undefined> {
    const file = levelFileOf(name);
    if (file === undefined) return undefined;
    const before = sealed.get(name) ?? { bytes: 0, crc: 0 };
    if (file.type === 'table' && (before.bytes > 0 || !tablesInUse.has(file.number))) return undefined;
    const bytes = (await disk.size(name)) ?? 0;
    if (bytes <= before.bytes) return undefined;
    if (file.type !== 'table') await sync(name);
    return { name, bytes, crc: await fileCrc(disk, name, { from: before.bytes, to: bytes, before: before.crc }) };
  }

  async function sync(name: string): Promise<void> {
    const file = await disk.open(name);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async function round(tablesInUse: ReadonlySet<number>): Promise<void> {
    const names = await disk.list('');
    const changed: SealedFile[] = [];
    for (const name of names) {
      const file = await unlessRemoved(sealOf(name, tablesInUse));
      if (file !== undefined) changed.push(file);
    }
    const there = new Set([...names, ...held]);
    const removed = [...sealed.keys()].filter((name) => !there.has(name));
    if (changed.length + removed.length === 0) return;
    // LevelDB syncs files, but not their names.
    await disk.syncDirectory('');
    await write({ sealed: changed, removed, damaged: [] });
  }

  return {
    round,
    foundDamaged: (name) => write({ sealed: [], removed: [], damaged: [name] }),
    released: (name) => void held.delete(name),
    async close() {
      await log?.close();
    },
  };
}
