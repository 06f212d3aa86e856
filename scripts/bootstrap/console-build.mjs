/** Builds the console when its output is missing or older than its sources. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runPinned } from '../../packages/checkout/src/pinned-node.mjs';
import { withLock } from './lock.mjs';

/** Sources of the bundle: the console and the packages that it may import. */
const sources = [
  'console/src',
  'console/public',
  'console/vite',
  'console/index.html',
  'console/vite.config.ts',
  'console/package.json',
  ...['client', 'schema', 'crypto', 'types', 'primitives'].map((name) => `packages/${name}/src`),
];

/**
 * @param {string} root the repository
 * @returns {'ready' | 'stale' | 'absent'} absent: this checkout has no console sources
 */
export function consoleState(root) {
  if (!existsSync(join(root, 'console/index.html'))) return 'absent';
  const built = join(root, 'console/dist/index.html');
  if (!existsSync(built)) return 'stale';
  const newestMs = Math.max(...sources.map((path) => newestChangeMs(join(root, path))));
  return newestMs > statSync(built).mtimeMs ? 'stale' : 'ready';
}

/**
 * The time of the last change below a path; includes folders, so that a deletion counts.
 * @param {string} path
 * @returns {number}
 */
function newestChangeMs(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  const below = readdirSync(path).map((name) => newestChangeMs(join(path, name)));
  return Math.max(stats.mtimeMs, ...below);
}

/**
 * @param {{ root: string, say: (line: string) => void }} context
 * @returns {Promise<void>}
 */
export async function ensureConsole({ root, say }) {
  if (consoleState(root) !== 'stale') return;
  await withLock({ root, name: 'console', say }, async () => {
    if (consoleState(root) !== 'stale') return;
    say('building the console (about ten seconds) ...');
    const vite = join(root, 'node_modules/vite/bin/vite.js');
    const args = ['build', '--logLevel', 'warn'];
    const code = await runPinned({ root, file: vite, args, cwd: join(root, 'console') });
    if (code !== 0) throw new Error('the console did not build; the lines above say why. Try "npm run typecheck".');
  });
}
