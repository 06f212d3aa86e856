/**
 * Preloaded into every thread of a node (--import): one fails as the file `fail-thread` in the home folder says: `executor throws`, or
 * `verifier-0 ends`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadName } from 'node:worker_threads';

const LOOK_MS = 50;
/** Threads inherit environment, not arguments. */
if (isMainThread) process.env.FAIL_THREAD_HOME = process.argv[process.argv.indexOf('--home') + 1] ?? '';
const file = join(process.env.FAIL_THREAD_HOME ?? '', 'fail-thread');

function asked() {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

if (!isMainThread) {
  setInterval(() => {
    if (asked() === `${threadName} throws`) throw new Error('made to fail by a test');
    if (asked() === `${threadName} ends`) process.exit(3);
  }, LOOK_MS).unref();
}
