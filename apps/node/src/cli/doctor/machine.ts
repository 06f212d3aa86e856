import { readFile } from 'node:fs/promises';
import { availableParallelism, freemem, totalmem } from 'node:os';
import { type Finding, fault, ok, warning } from './finding.ts';

const NODE_MAJOR = 24;
/** Enough for 100 validators, 1,000 clients, logs and LevelDB's tables. */
const OPEN_FILES_MIN = 4096;
/** A node with a million accounts holds about 700 MB; this leaves room for peaks. */
const FREE_MEMORY_MIN = 512 * 1024 * 1024;
const MIB = 1024 * 1024;

export async function checkMachine(): Promise<readonly Finding[]> {
  return [runtime(), ...(await nativeParts()), await openFiles(), memory(), processors(), await clock()];
}

function runtime(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  const found = `Node ${process.versions.node} on ${process.platform} ${process.arch}`;
  return major >= NODE_MAJOR
    ? ok('runtime', found)
    : fault('runtime', found, `Node ${NODE_MAJOR} or newer is needed: "npm run slipstream" brings its own.`);
}

const NATIVE_PARTS = [
  ['BLS signatures', () => import('@slipstream/crypto/native')],
  ['compression', () => import('@slipstream/network/compression')],
  ['database', () => import('@slipstream/platform')],
] as const;

async function nativeParts(): Promise<readonly Finding[]> {
  return await Promise.all(
    NATIVE_PARTS.map(async ([what, load]) => {
      try {
        await load();
        return ok(what, 'the native addon loads');
      } catch (error) {
        const remedy = 'Install again on this machine: npm ci (a C++ compiler and python3 are needed).';
        return fault(what, `the native addon does not load: ${String(error)}`, remedy);
      }
    }),
  );
}

async function openFiles(): Promise<Finding> {
  const text = await readFile('/proc/self/limits', 'utf8').catch(() => undefined);
  const soft = text === undefined ? undefined : /Max open files\s+(\S+)/.exec(text)?.[1];
  if (soft === undefined) return ok('open files', 'this system does not report its limit');
  const enough = soft === 'unlimited' || Number(soft) >= OPEN_FILES_MIN;
  return enough
    ? ok('open files', `at most ${soft}`)
    : warning(
        'open files',
        `at most ${soft}`,
        `Allow ${OPEN_FILES_MIN}: ulimit -n, or LimitNOFILE in the service unit.`,
      );
}

function memory(): Finding {
  const found = `${Math.round(freemem() / MIB)} of ${Math.round(totalmem() / MIB)} MiB free`;
  return freemem() >= FREE_MEMORY_MIN
    ? ok('memory', found)
    : warning('memory', found, 'Stop other programs, or add memory.');
}

function processors(): Finding {
  const count = availableParallelism();
  return count >= 2
    ? ok('processors', `${count}`)
    : warning(
        'processors',
        `${count}`,
        'Consensus, verification and execution run in parallel: give the node two cores or more.',
      );
}

/** An earlier clock is wrong. */
const CLOCK_YEAR_MIN = 2026;

/** Block timestamps come from the leaders' clocks; transactions expire by them. */
async function clock(): Promise<Finding> {
  const date = new Date();
  const now = date.toISOString();
  if (date.getUTCFullYear() < CLOCK_YEAR_MIN)
    return fault('clock', now, 'The clock is years behind: synchronize it with a time service.');
  const flags = await readFile('/run/systemd/timesync/synchronized').then(
    () => 'synchronized by systemd-timesyncd',
    () => undefined,
  );
  return ok('clock', flags === undefined ? now : `${now}, ${flags}`);
}
