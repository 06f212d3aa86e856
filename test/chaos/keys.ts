/** Keys of a node, as a thief or a Byzantine validator would have them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HOME, loadConfig } from '@slipstream/node-home';
import { type Identity, loadIdentity } from '@slipstream/node-home/identity';

export async function keysOf(home: string): Promise<Identity> {
  const path = join(home, HOME.config);
  const text = await readFile(path, 'utf8');
  return await loadIdentity(home, loadConfig({ file: { path, text }, environment: {}, flags: new Map() }));
}
