/** The keys of a node of a test's network, as a thief or a Byzantine validator would have them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../apps/node/src/config/load.ts';
import { type Identity, loadIdentity } from '../../apps/node/src/folder/identity.ts';
import { HOME } from '../../apps/node/src/folder/layout.ts';

export async function keysOf(home: string): Promise<Identity> {
  const path = join(home, HOME.config);
  const text = await readFile(path, 'utf8');
  return await loadIdentity(home, loadConfig({ file: { path, text }, environment: {}, flags: new Map() }));
}
