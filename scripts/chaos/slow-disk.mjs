/**
 * Preloaded into a node under test: each sync of a file takes longer while it runs.
 *
 *   node --import 'slow-disk.mjs?delay=FILE' ...     FILE holds milliseconds; empty or missing: none
 */
import { constants, promises, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const REREAD_MS = 500;
const file = new URL(import.meta.url).searchParams.get('delay') ?? '';
let delayMs = 0;

function reread() {
  try {
    delayMs = Number(readFileSync(file, 'utf8')) || 0;
  } catch {
    delayMs = 0;
  }
}

/** Opened so that each write is synced. */
const synced = new WeakSet();
const { open } = promises;

/** @type {typeof open} */
promises.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode);
  if (typeof flags === 'number' && (flags & constants.O_DSYNC) === constants.O_DSYNC) synced.add(handle);
  return handle;
};
syncBuiltinESMExports();

const handle = await open(fileURLToPath(import.meta.url));
const files = Object.getPrototypeOf(handle);
await handle.close();

for (const name of ['write', 'writev', 'datasync', 'sync']) {
  const original = files[name];
  /**
   * @this {import('node:fs/promises').FileHandle}
   * @param {...unknown} given
   */
  files[name] = async function slowed(...given) {
    if (delayMs > 0 && (name.endsWith('sync') || synced.has(this))) await sleep(delayMs);
    return original.apply(this, given);
  };
}

reread();
setInterval(reread, REREAD_MS).unref();
