/**
 * The bundle of the program `slipstream`: its modules and those of its dependencies in a few files, as loading a thousand and more
 * files in each thread was most of a start (docs/decisions/0038).
 *
 *   apps/node/dist/bundle.json   the entry in force, and the files that it was made of
 *   apps/node/dist/a, b          a build fills the one that is not in force: nodes that run keep theirs
 *
 * A bundle runs only while each of these files has the size and the time of change that it had: after any edit the sources run. The time
 * is the inode's (ctime), which no program can set: a file moved or unpacked here with an old time of modification counts as changed.
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of bundles in the repository. */
export const bundleFolder = 'apps/node/dist';

/**
 * One file that a bundle was made of: path from the repository, size, time of its last change in milliseconds.
 * @typedef {readonly [path: string, bytes: number, changedMs: number]} BundleInput
 */

/**
 * `inputs` is empty for a bundle whose sources never change: that of an image.
 * @typedef {{ entry: string, inputs: readonly BundleInput[] }} BundleManifest
 */

/**
 * The bundle's entry, or undefined when there is no bundle of just these sources.
 * @param {string} root the repository
 * @returns {string | undefined}
 */
export function bundleEntry(root) {
  const manifest = readManifest(root);
  if (manifest === undefined) return undefined;
  return manifest.inputs.every((input) => isUnchanged(root, input))
    ? join(root, bundleFolder, manifest.entry)
    : undefined;
}

/**
 * @param {string} root
 * @returns {BundleManifest | undefined}
 */
export function readManifest(root) {
  try {
    return JSON.parse(readFileSync(join(root, bundleFolder, 'bundle.json'), 'utf8'));
  } catch {
    // Absent or cut off: there is no bundle.
    return undefined;
  }
}

/**
 * @param {string} root
 * @param {string} path from the repository
 * @returns {BundleInput}
 */
export function bundleInput(root, path) {
  const { size, ctimeMs } = statSync(join(root, path));
  return [path, size, ctimeMs];
}

/**
 * @param {string} root
 * @param {BundleInput} input
 */
function isUnchanged(root, [path, bytes, changedMs]) {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  return stats?.size === bytes && stats.ctimeMs === changedMs;
}
