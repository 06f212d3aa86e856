/** Folders and files named in commands: relative to the working folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Terminal } from '@slipstream/command-line';
import { type Config, HOME, loadConfig, readTextIfAny } from '@slipstream/node-home';
import { NodeError } from '../errors.ts';

const NO_FLAGS: ReadonlyMap<string, string> = new Map();

/** The configuration of a node's folder. Throws NodeError `home-incomplete` or `config-invalid`. */
export async function configOf(
  home: string,
  { environment }: Pick<Terminal, 'environment'>,
  flags: ReadonlyMap<string, string> = NO_FLAGS,
): Promise<Config> {
  const path = join(home, HOME.config);
  const text = await readTextIfAny(path);
  if (text === undefined && existsSync(join(home, HOME.candidacy))) {
    const message = `${home} has keys and a candidacy, and no chain yet: slipstream genesis accept chain.json --home ${home}`;
    throw new NodeError('home-incomplete', message, { home });
  }
  if (text === undefined && !existsSync(join(home, HOME.genesis))) {
    const message =
      `${home} is not the folder of a node: it has no ${HOME.config}. ` +
      'Name one with --home, or make a chain first: slipstream init --validators 4 --out chain';
    throw new NodeError('home-incomplete', message, { home });
  }
  return loadConfig({ file: text === undefined ? undefined : { path, text }, environment, flags });
}
