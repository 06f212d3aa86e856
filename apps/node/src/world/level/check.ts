/**
 * That a LevelDB folder is, to the last byte, what LevelDB wrote: asked before LevelDB opens it.
 *
 * LevelDB as it is bound here looks at no checksum of its tables, and passes over damage in its log without a word: entries are missing
 * then, an account's history has holes, and some damage ends the process in an assertion. So nothing is opened that is damaged.
 *
 *   CURRENT --> manifest --> tables: there, of the size told, every checksum holds
 *                      \--> logs:   a tear at the end is what a crash leaves: told, and LevelDB cuts it off
 *                                   damage with two synced batches behind it was durable: refused
 *
 * INVARIANT: a synced batch was begun when the one before it was durable, with all that stood before that. One synced batch behind a
 * damaged place may have been on its way at a power cut, with the damaged place; with two, it was durable.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cursor, damaged, readSlice, readVarint } from './coding.ts';
import { scanLogFile } from './log-file.ts';
import { readManifest } from './manifest-file.ts';
import { checkTable } from './table-file.ts';

export interface LevelCheck {
  /** Whether batches that put this key are synced, all of them. */
  readonly isSynced: (key: Uint8Array) => boolean;
  /** A torn tail, which LevelDB will cut off. */
  readonly onTorn: (file: string, offset: number) => void;
  /** So much of the tables, the newest first; what is above is left to the seals of its values. Default: TABLE_BYTES_MAX. */
  readonly tableBytesMax?: number;
}

/**
 * Some second of a processor. A chain of ten million empty blocks has thirty times as much, and a validator that restarts is
 * missed by its committee.
 */
export const TABLE_BYTES_MAX = 512 * 1024 * 1024;
const SYNCED_PROVE = 2;

/** Throws DiskError `damaged`. An empty or missing folder is sound. */
export async function checkLevel(location: string, check: LevelCheck): Promise<void> {
  const names = await readdir(location).catch(() => [] as string[]);
  const logs = numbered(names, 'log');
  const tables = numbered(names, 'ldb');
  const logNumber = names.includes('CURRENT') ? await checkTables(location, names, check) : 0;
  if (logNumber > 0 && !logs.has(logNumber)) {
    throw damaged(join(location, `${pad(logNumber)}.log`), 0, 'a log that the manifest names and that is not there');
  }
  if (logNumber === 0 && (tables.size > 0 || (await anyFilled(location, logs)))) {
    throw damaged(join(location, 'CURRENT'), 0, 'a manifest that names nothing of what is there');
  }
  for (const [number, name] of logs) if (number >= logNumber) await checkLog(join(location, name), check);
}

/** Returns the number of the oldest log that counts. */
async function checkTables(location: string, names: readonly string[], check: LevelCheck): Promise<number> {
  const current = await readFile(join(location, 'CURRENT'), 'latin1');
  const name = /^(MANIFEST-[0-9]+)\n$/.exec(current)?.[1];
  if (name === undefined || !names.includes(name)) {
    throw damaged(join(location, 'CURRENT'), 0, 'the name of a manifest that is not there');
  }
  const file = join(location, name);
  const { tables, logNumber } = readManifest(file, new Uint8Array(await readFile(file)));
  let left = check.tableBytesMax ?? TABLE_BYTES_MAX;
  for (const [number, size] of [...tables].sort(([a], [b]) => b - a)) {
    const path = join(location, `${pad(number)}.ldb`);
    const found = await stat(path).catch(() => undefined);
    if (found?.size !== size) throw damaged(path, found?.size ?? 0, `${found?.size ?? 'none'} of its ${size} bytes`);
    left -= size;
    if (left >= 0) checkTable(path, new Uint8Array(await readFile(path)));
  }
  return logNumber;
}

async function checkLog(file: string, { isSynced, onTorn }: LevelCheck): Promise<void> {
  let damagedAt: number | undefined;
  let syncedBehind = 0;
  for (const item of scanLogFile(new Uint8Array(await readFile(file)))) {
    if (item.type === 'damage') damagedAt ??= item.offset;
    else if (damagedAt !== undefined && putsAny(item.bytes, isSynced)) syncedBehind += 1;
    if (damagedAt !== undefined && syncedBehind >= SYNCED_PROVE) {
      throw damaged(file, damagedAt, 'a batch that was durable');
    }
  }
  if (damagedAt !== undefined) onTorn(file, damagedAt);
}

const SEQUENCE_AND_COUNT_BYTES = 12;
const PUT = 1;

/** Whether a batch puts such a key: sequence u64 | count u32 | each: put u8, key, value; or delete u8, key. */
function putsAny(batch: Uint8Array, isSynced: (key: Uint8Array) => boolean): boolean {
  const cursor: Cursor = { bytes: batch, at: SEQUENCE_AND_COUNT_BYTES };
  while (cursor.at < batch.length) {
    const isPut = readVarint(cursor) === PUT;
    const key = readSlice(cursor);
    if (key === undefined) return false;
    if (!isPut) continue;
    if (isSynced(key)) return true;
    if (readSlice(cursor) === undefined) return false;
  }
  return false;
}

function numbered(names: readonly string[], ending: string): ReadonlyMap<number, string> {
  const found = names.filter((name) => new RegExp(`^[0-9]+\\.${ending}$`).test(name));
  return new Map(found.map((name) => [Number(name.split('.')[0]), name] as const).sort(([a], [b]) => a - b));
}

async function anyFilled(location: string, logs: ReadonlyMap<number, string>): Promise<boolean> {
  for (const name of logs.values()) if ((await stat(join(location, name))).size > 0) return true;
  return false;
}

const pad = (number: number): string => String(number).padStart(6, '0');
