import { readFile } from 'node:fs/promises';
import { inFolder, type Terminal, usageError } from '@slipstream/command-line';

/** Of `--genesis FILE`; default: {}. Throws NodeError `usage` for a file that is no JSON, and errors of reading it. */
export async function genesisInput(terminal: Terminal, path: string | undefined, invocation: string): Promise<unknown> {
  if (path === undefined) return {};
  const file = inFolder(terminal, path);
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw usageError(invocation, [`--genesis ${file} is no JSON: ${error.message}`]);
  }
}
