/**
 * Installs node_modules according to package-lock.json, unless that is done.
 *
 * npm writes node_modules/.package-lock.json last, after all install scripts have succeeded. So comparing it with package-lock.json
 * distinguishes a complete tree from a missing, old or incomplete one, also after a manual `npm install`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pinnedNode } from '../../packages/checkout/src/pinned-node.mjs';
import { explainFailure } from './install-failure.mjs';
import { findInstallerNode } from './installer-node.mjs';
import { withLock } from './lock.mjs';
import { runNpm } from './npm.mjs';

/**
 * @param {string} root the repository
 * @returns {'ready' | 'missing' | 'stale'} missing: nothing usable is there; stale: some package is absent or of another version
 */
export function installState(root) {
  const installed = readPackages(join(root, 'node_modules/.package-lock.json'));
  const wanted = readPackages(join(root, 'package-lock.json'));
  if (wanted === undefined)
    throw new Error('package-lock.json is missing or no JSON: restore it ("git checkout package-lock.json").');
  if (installed === undefined || pinnedNode(root) === undefined) return 'missing';
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/') || entry.optional || entry.devOptional || entry.peer) continue;
    const found = installed[path];
    if (found === undefined || found.version !== entry.version || found.link !== entry.link) return 'stale';
  }
  return 'ready';
}

/** @param {string} path a lock file */
function readPackages(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * @param {{ root: string, say: (line: string) => void }} context
 * @returns {Promise<void>} rejects with a message for a person when npm fails
 */
export async function ensureInstalled({ root, say }) {
  if (installState(root) === 'ready') return;
  await withLock({ root, name: 'install', say }, async () => {
    const state = installState(root);
    if (state === 'ready') return;
    const what =
      state === 'missing' ? 'installing dependencies (first run' : 'updating dependencies (package-lock.json changed';
    say(`${what}; about one to three minutes) ...`);
    const startMs = Date.now();
    const node = await findInstallerNode({ root, say });
    const args = state === 'missing' ? ['ci'] : ['install', '--no-save'];
    const { code, output } = await runNpm({ root, node, folder: root, args });
    if (code !== 0) throw new Error(explainFailure(output));
    if (pinnedNode(root) === undefined) throw new Error(explainFailure('ignore-scripts'));
    say(`installed in ${Math.round((Date.now() - startMs) / 1000)} s.`);
  });
}
