/**
 * Brings node_modules to what package-lock.json says, when it is not there yet.
 *
 * npm writes node_modules/.package-lock.json as its last act, after all install scripts have succeeded. Comparing it with
 * package-lock.json therefore tells a complete tree from a missing, an old and a half-installed one, without a stamp of our
 * own that a manual `npm install` would leave wrong.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { explainFailure } from './install-failure.mjs';
import { withLock } from './lock.mjs';
import { pinnedNode } from './pinned-node.mjs';

/** Kept of npm's output, for the case that it fails. */
const outputCharsMax = 64_000;

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
    const { code, output } = await npm(root, state === 'missing' ? ['ci'] : ['install', '--no-save']);
    if (code !== 0) throw new Error(explainFailure(output));
    if (pinnedNode(root) === undefined) throw new Error(explainFailure('ignore-scripts'));
    say(`installed in ${Math.round((Date.now() - startMs) / 1000)} s.`);
  });
}

/**
 * @param {string} root the repository
 * @param {string[]} args
 * @returns {Promise<{ code: number, output: string }>}
 */
function npm(root, args) {
  const node = process.env.npm_node_execpath ?? process.execPath;
  const quiet = ['--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const script = process.env.npm_execpath;
  const [command, ...rest] = script?.endsWith('.js') ? [node, script, ...args, ...quiet] : ['npm', ...args, ...quiet];
  const options = {
    cwd: root,
    env: installEnvironment(root, node),
    shell: process.platform === 'win32' && command === 'npm',
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-outputCharsMax);
      });
    }
    child.once('error', (error) =>
      reject(new Error(`npm could not be started (${error.message}). It comes with Node: is it on the PATH?`)),
    );
    child.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

/**
 * The tree's own .bin is taken off the PATH: install scripts must not run on a Node that is being replaced. Native code is
 * built against the headers beside the running Node when it has them, so that a build downloads nothing.
 * @param {string} root
 * @param {string} node
 */
function installEnvironment(root, node) {
  const own = join(root, 'node_modules');
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(own));
  const prefix = dirname(dirname(node));
  const headers = existsSync(join(prefix, 'include/node/node_api.h')) ? { npm_config_nodedir: prefix } : {};
  return { ...headers, ...process.env, PATH: [dirname(node), ...path].join(delimiter) };
}
