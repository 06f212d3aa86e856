/** A stopped node's data folder in memory, damaged one file at a time. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { HOME, readGenesis } from '@slipstream/node-home';
import { type Genesis, type GenesisHash, genesisHashOf } from '@slipstream/types';

/** Paths below the data folder. */
export type Files = ReadonlyMap<string, Uint8Array>;

export interface DataFolder {
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  readonly files: Files;
}

export async function readHome(home: string): Promise<DataFolder> {
  const genesis = await readGenesis(join(home, HOME.genesis));
  return { genesis, genesisHash: genesisHashOf(genesis), files: await readFiles(join(home, HOME.data)) };
}

export async function readFiles(root: string): Promise<Files> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = new Map<string, Uint8Array>();
  for (const path of paths.sort()) files.set(relative(root, path), new Uint8Array(await readFile(path)));
  return files;
}

/** With paths from the root. */
export function below(files: Files, folder: string): Files {
  return new Map([...files].filter(([path]) => path.startsWith(`${folder}/`)));
}

export function withFile(files: Files, path: string, bytes: Uint8Array): Files {
  return new Map([...files, [path, bytes]]);
}

/** For LevelDB. `location`: empty or missing. */
export async function writeFiles(location: string, files: Files): Promise<void> {
  await mkdir(location, { recursive: true });
  for (const [path, bytes] of files) await writeFile(join(location, path.slice(path.lastIndexOf('/') + 1)), bytes);
}
