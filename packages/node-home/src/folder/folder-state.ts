/** State of a node's folder, by the files in it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from './layout.ts';

/** Files that only a node with a chain has. */
export function chainIn(home: string): readonly string[] {
  return [HOME.genesis, HOME.config, HOME.data].filter((name) => existsSync(join(home, name)));
}

/** Has keys and no chain. An interrupted acceptance leaves a genesis without a configuration. */
export function isCandidate(home: string): boolean {
  const has = (name: string) => existsSync(join(home, name));
  if (has(HOME.config)) return false;
  return has(HOME.candidacy) || (!has(HOME.genesis) && (has(HOME.blsKeystore) || has(HOME.peerSeed)));
}
