/**
 * The Node on which npm runs. npm silently leaves out optional packages whose `engines` do not match its Node; prebuilt addons are such
 * packages. So an install by an old Node would look complete and fail to start. In that case the pinned Node is fetched first, into a
 * separate folder, and runs the install.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { pinnedNode } from '../../packages/checkout/src/pinned-node.mjs';
import { explainFailure } from './install-failure.mjs';
import { runNpm } from './npm.mjs';

/** Every dependency accepts this Node. */
const installerMin = { major: 22, minor: 12 };

/**
 * @param {string} version such as "22.12.0"
 * @returns {boolean} whether an install by this Node is complete
 */
export function installsCompletely(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > installerMin.major || (major === installerMin.major && minor >= installerMin.minor);
}

/**
 * @param {{ root: string, say: (line: string) => void }} context
 * @returns {Promise<string>} the executable
 */
export async function findInstallerNode({ root, say }) {
  const replaced = join(root, 'node_modules') + sep;
  const own = [process.env.npm_node_execpath, process.execPath].filter(
    (node) => node !== undefined && !node.startsWith(replaced),
  );
  const fit = own.find((node) => node !== undefined && installsCompletely(versionOf(node)));
  return fit ?? (await fetchRuntime({ root, say, node: own[0] ?? process.execPath }));
}

/** The Node of node_modules cannot run an install, which replaces it. */
function reasonToFetch() {
  return installsCompletely(process.versions.node)
    ? 'is part of what the install replaces'
    : 'is too old to install with';
}

/** @param {string} node */
function versionOf(node) {
  if (node === process.execPath) return process.versions.node;
  return String(spawnSync(node, ['-p', 'process.versions.node']).stdout);
}

/**
 * @param {{ root: string, say: (line: string) => void, node: string }} context
 * @returns {Promise<string>}
 */
async function fetchRuntime({ root, say, node }) {
  const folder = join(root, '.bootstrap/runtime');
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node;
  const present = pinnedNode(folder);
  if (present !== undefined && versionOf(present).trim() === wanted) return present;
  say(`fetching Node ${wanted}, as this one (${process.versions.node}) ${reasonToFetch()} ...`);
  mkdirSync(folder, { recursive: true });
  const manifest = { private: true, dependencies: { node: wanted }, allowScripts: { node: true } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const { code, output } = await runNpm({ root, node, folder, args: ['install', '--no-package-lock'] });
  if (code !== 0) throw new Error(explainFailure(output));
  const fetched = pinnedNode(folder);
  if (fetched === undefined) throw new Error(explainFailure('ignore-scripts'));
  return fetched;
}
