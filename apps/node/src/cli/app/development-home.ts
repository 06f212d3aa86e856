/** The home of a development chain that lasts as long as its process: on the memory disk where there is one, else in a temporary folder. */
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOME, loadConfig } from '@slipstream/node-home';
import type { FoundingApplication } from '@slipstream/node-home/applications';
import { initChain } from '@slipstream/node-home/chain';
import { createRandom } from '@slipstream/platform';
import type { NodeStart } from '../../assembly/running-node.ts';
import { DEVELOPMENT_TERMS } from '../development-terms.ts';

interface DevelopmentHome extends Pick<NodeStart, 'home' | 'config'> {
  readonly isInMemory: boolean;
  /** Of the account that holds the supply. */
  readonly faucetSecret: Uint8Array;
  remove(): Promise<void>;
}

/** Of Linux. The ledger's and the index's stores open files by path, so that no memory of this process will do. */
const MEMORY_DISK = '/dev/shm';
/** Then the number of the process, and "-". */
const PREFIX = 'slipstream-dev-';
const LEFT_OVER = new RegExp(`^${PREFIX}([0-9]+)-`);

const SETTINGS = {
  // Blocks without transactions are executed again, too: an hour has 360.
  'consensus.idleBlockIntervalMs': 10_000,
  // Nothing of the history may be pruned.
  'retention.archive': true,
  'sync.snapshotEvery': 0,
  'recorder.enabled': false,
  'verifier.workers': 1,
} as const;

export async function makeDevelopmentHome(
  application: FoundingApplication,
  { apiPort }: { readonly apiPort: number },
): Promise<DevelopmentHome> {
  const isInMemory = hasMemoryDisk();
  const place = isInMemory ? MEMORY_DISK : tmpdir();
  await removeLeftOvers(place);
  const folder = await mkdtemp(join(place, `${PREFIX}${process.pid}-`));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const { nodes, faucetSecret = new Uint8Array(0) } = await initChain(createRandom(), {
      out: folder,
      ...DEVELOPMENT_TERMS,
      apiPort,
      timestampMs: Date.now(),
      applications: [{ ...application, isNameAlone: true }],
    });
    const home = (nodes[0] as (typeof nodes)[number]).home;
    const path = join(home, HOME.config);
    const file = { path, text: await readFile(path, 'utf8') };
    const config = { ...loadConfig({ file, environment: {}, flags: new Map() }), ...SETTINGS };
    return { home, config, isInMemory, faucetSecret, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Homes of processes that were killed: on a memory disk they take memory. */
async function removeLeftOvers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, pid] = LEFT_OVER.exec(name) ?? [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Another user's stays.
    await rm(join(place, name), { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function hasMemoryDisk(): boolean {
  try {
    accessSync(MEMORY_DISK, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
