/**
 * A lock between processes: two terminals that start on a fresh clone must not install at the same time.
 *
 * The lock is a folder (its creation is atomic) that contains the owner's process id. A lock whose owner ended is taken over.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const retryMs = 500;
/** A lock without an id counts as owned this long: its owner may have died before writing the id. */
const ownerlessMs = 5_000;

/** The locks of this process. After a container's restart, another process may have left one with the same id. */
const heldFolders = new Set();

/**
 * @template T
 * @param {{ root: string, name: string, say: (line: string) => void }} context
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock({ root, name, say }, work) {
  const folder = join(root, '.bootstrap', name);
  mkdirSync(join(root, '.bootstrap'), { recursive: true });
  let ownerlessSinceMs = Date.now();
  for (let told = false; !tryMake(folder); ) {
    const owner = readOwner(folder);
    if (owner !== undefined) ownerlessSinceMs = Date.now();
    if (owner !== undefined ? !holds(owner, folder) : Date.now() - ownerlessSinceMs > ownerlessMs) {
      rmSync(folder, { recursive: true, force: true });
      continue;
    }
    if (!told) say(`waiting for process ${owner ?? '(starting)'}, which is doing the same (${name}) ...`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  heldFolders.add(folder);
  const release = () => {
    heldFolders.delete(folder);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.off('exit', release);
    release();
  }
}

/** @param {string} folder */
function tryMake(folder) {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(folder, 'pid'), String(process.pid));
  return true;
}

/** @param {string} folder */
function readOwner(folder) {
  try {
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {number} owner
 * @param {string} folder
 */
function holds(owner, folder) {
  return owner === process.pid ? heldFolders.has(folder) : alive(owner);
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
