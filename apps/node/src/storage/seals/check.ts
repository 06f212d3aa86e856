/**
 * Compares files with their seals before LevelDB opens a folder:
 *
 *   CURRENT names an existing manifest
 *   logs and manifests: up to their sealed end             the rest is left to LevelDB's own checksums
 *   tables: all lengths, and the newest by their CRC       the others are held, and checked while LevelDB runs
 *
 * LevelDB removed a missing sealed file; it refuses to open when it needs that file. A held table is linked into `checking`, because
 * LevelDB may merge a damaged table into one with a valid checksum.
 */
import { join } from 'node:path';
import { levelDamage } from '@slipstream/platform';
import type { Disk } from '@slipstream/ports';
import { fileCrc } from './file-crc.ts';
import { CURRENT, levelFileOf, MANIFEST_IN_CURRENT } from './level-names.ts';
import { type SealedFile, type Seals, unlessRemoved } from './seal-file.ts';

export const CHECKING = 'checking';

interface CheckOptions {
  /** Name in errors. */
  readonly location: string;
  /** Tables are checked now up to these bytes, the newest first; the others are held. */
  readonly tableBytesMax: number;
  /** This process has compared the files already. */
  readonly isChecked: boolean;
}

const CURRENT_BYTES_MAX = 4096;

/** `disk`: rooted at the folder. Returns names of tables to hold. Throws DiskError `damaged`. */
export async function checkSeals(
  disk: Disk,
  { files, damaged }: Seals,
  options: CheckOptions,
): Promise<readonly string[]> {
  const { location, isChecked } = options;
  if (damaged !== undefined)
    throw levelDamage(join(location, damaged), 'it disagreed with its seal when it was checked');
  const names = new Set(await disk.list(''));
  await checkCurrent(disk, names, location);
  await checkNewestLog(disk, files, options);
  const held: string[] = [];
  let left = options.tableBytesMax;
  for (const file of newestFirst(files)) {
    const isTable = levelFileOf(file.name)?.type === 'table';
    const size = names.has(file.name) ? await disk.size(file.name) : undefined;
    if (size === undefined) continue;
    const path = join(location, file.name);
    if (size < file.bytes || (isTable && size !== file.bytes)) {
      throw levelDamage(path, `it has ${size} bytes, and had ${file.bytes} when it was sealed`);
    }
    if (isTable) left -= file.bytes;
    if (isTable && left < 0) held.push(file.name);
    else if (!isChecked && !(await agrees(disk, file.name, file)))
      throw levelDamage(path, 'it disagrees with its seal');
  }
  return [...held, ...(await heldBefore(disk, files, names))];
}

/** True also when LevelDB removed the file meanwhile. */
export async function agrees(
  disk: Disk,
  path: string,
  { bytes, crc }: SealedFile,
  pause?: () => Promise<void>,
): Promise<boolean> {
  const found = await unlessRemoved(fileCrc(disk, path, { from: 0, to: bytes, before: 0 }, pause));
  return found === undefined || found === crc;
}

/** Call before LevelDB opens, because it removes tables. */
export async function hold(disk: Disk, held: readonly string[]): Promise<void> {
  const there = new Set(await disk.list(CHECKING));
  const wanted = new Set(held);
  if (wanted.size > 0) await disk.makeDirectory(CHECKING);
  for (const name of wanted) if (!there.has(name)) await unlessRemoved(disk.link(name, `${CHECKING}/${name}`));
  for (const name of there) if (!wanted.has(name)) await disk.remove(`${CHECKING}/${name}`);
}

/** Tables held at an earlier opening, not checked, and removed by LevelDB. */
async function heldBefore(disk: Disk, files: Seals['files'], names: ReadonlySet<string>): Promise<readonly string[]> {
  return (await disk.list(CHECKING)).filter((name) => files.has(name) && !names.has(name));
}

/** Without CURRENT LevelDB creates a new store and removes unknown files. */
async function checkCurrent(disk: Disk, names: ReadonlySet<string>, location: string): Promise<void> {
  const path = join(location, CURRENT);
  const bytes = await disk.readWhole(CURRENT, CURRENT_BYTES_MAX);
  if (bytes === undefined) {
    if ([...names].some((name) => levelFileOf(name)?.type === 'table')) throw levelDamage(path, 'it is missing');
    return;
  }
  const manifest = MANIFEST_IN_CURRENT.exec(new TextDecoder().decode(bytes))?.[1];
  if (manifest === undefined || !names.has(manifest)) throw levelDamage(path, 'it names no manifest that is there');
}

/**
 * LevelDB removes a log when there is a newer one and the manifest says so. With the sealed manifest, the newest sealed log, or a newer
 * one, was durable.
 */
async function checkNewestLog(disk: Disk, files: Seals['files'], options: CheckOptions): Promise<void> {
  const newestOf = (names: Iterable<string>) =>
    [...names]
      .filter((name) => levelFileOf(name)?.type === 'log')
      .sort((a, b) => numberOf(a) - numberOf(b))
      .at(-1);
  const sealed = newestOf(files.keys());
  const present = newestOf(await disk.list(''));
  if (sealed === undefined || (present !== undefined && numberOf(present) >= numberOf(sealed))) return;
  for (const { name, bytes } of files.values()) {
    if (levelFileOf(name)?.type === 'manifest' && (await disk.size(name)) !== bytes) return;
  }
  throw levelDamage(join(options.location, sealed), 'it is missing, and there is no newer log');
}

function newestFirst(files: Seals['files']): readonly SealedFile[] {
  return [...files.values()].sort((a, b) => numberOf(b.name) - numberOf(a.name));
}

const numberOf = (name: string): number => levelFileOf(name)?.number ?? 0;
