import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';

/**
 * The folder of the built console; a node without it serves only its API.
 * @returns {string | undefined}
 */
export function consoleFolder() {
  const folder = join(root, 'console/dist');
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}
