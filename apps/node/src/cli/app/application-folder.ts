/** Where an application is: `PATH` of the commands `slipstream app`. */
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { inFolder, type Terminal } from '@slipstream/command-line';
import { NodeError } from '../../errors.ts';

interface ApplicationPlace {
  /** Absolute. */
  readonly file: string;
  readonly folder: string;
  /** From the working folder, as messages name it. */
  readonly shownFolder: string;
}

/**
 * @param path the application's .ts file, or the folder of one, whose package.json names it as `main`
 *
 * Throws NodeError `application-missing`.
 */
export async function applicationPlace(terminal: Terminal, path: string): Promise<ApplicationPlace> {
  const absolute = inFolder(terminal, path);
  const isFolder = await stat(absolute).then(
    (stats) => stats.isDirectory(),
    () => undefined,
  );
  if (isFolder === undefined) throw missing(path, 'there is nothing');
  const file = isFolder ? join(absolute, await mainOf(path, absolute)) : absolute;
  const folder = dirname(file);
  return { file, folder, shownFolder: relative(terminal.folder, folder) };
}

async function mainOf(path: string, folder: string): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const main = mainIn(text);
  if (main === undefined) throw missing(path, 'no package.json with the application as "main"');
  return main;
}

function mainIn(text: string): string | undefined {
  try {
    const json: unknown = JSON.parse(text);
    const main = typeof json === 'object' && json !== null && 'main' in json ? json.main : undefined;
    return typeof main === 'string' && basename(main) !== '' ? main : undefined;
  } catch {
    return undefined;
  }
}

function missing(path: string, reason: string): NodeError {
  const message = `${path}: ${reason}; name the application's .ts file, or the folder that "slipstream app new" made`;
  return new NodeError('application-missing', message, { path });
}
