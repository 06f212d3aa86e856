/** How far a node's folder has come, by the files that are there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from './layout.ts';

/** What a folder has of a node whose chain is known. */
export function chainIn(home: string): readonly string[] {
  return [HOME.genesis, HOME.config, HOME.data].filter((name) => existsSync(join(home, name)));
}

/** Keys and no chain. A genesis without a configuration is what an acceptance that was cut off left. */
export function isCandidate(home: string): boolean {
  const has = (name: string) => existsSync(join(home, name));
  if (has(HOME.config)) return false;
  return has(HOME.candidacy) || (!has(HOME.genesis) && (has(HOME.blsKeystore) || has(HOME.peerSeed)));
}
