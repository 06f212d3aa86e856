/** Opens the data of a stopped node. The command holds the lock that a running node would hold. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inFolder, type Terminal, text } from '@slipstream/command-line';
import { HOME, readGenesis } from '@slipstream/node-home';
import { type Disk, DiskError, type KeyValue } from '@slipstream/ports';
import { type Genesis, type GenesisHash, genesisHashOf } from '@slipstream/types';
import { NodeError } from '../errors.ts';
import { configOf } from './places.ts';

export interface StoppedNode {
  readonly home: string;
  readonly genesis: Genesis;
  readonly genesisHash: GenesisHash;
  /** Rooted at the data folder. */
  readonly disk: Disk;
  /** Locks the folder. Undefined: the ledger is damaged. */
  readonly ledger: KeyValue | undefined;
}

interface StoppedNodeOptions {
  /** Creates a missing data folder. */
  readonly create?: boolean;
}

export const homeOption = text('DIR', "The node's folder. Default: where you are.");

export async function genesisOf(home: string, terminal: Terminal): Promise<Genesis> {
  const { genesis } = await configOf(home, terminal);
  return await readGenesis(resolve(home, genesis));
}

/** Throws NodeError `version-unknown`: a program that knows a newer version of the rules wrote in the folder. */
export async function refuseNewerFormats(home: string, terminal: Terminal): Promise<void> {
  const [{ openFloorMark }, { knownVersion }] = await Promise.all([
    import('../storage/floor-mark.ts'),
    import('../epochs/known-rules.ts'),
  ]);
  const config = await configOf(home, terminal);
  openFloorMark(join(home, HOME.data), knownVersion(config, await readGenesis(resolve(home, config.genesis))));
}

/** Throws NodeError `home-in-use` while a node runs on the folder, `home-incomplete` when it has no data, `version-unknown` as above. */
export async function withStoppedNode<T>(
  folder: string | undefined,
  terminal: Terminal,
  use: (node: StoppedNode) => Promise<T>,
  { create = false }: StoppedNodeOptions = {},
): Promise<T> {
  const home = inFolder(terminal, folder ?? '.');
  const genesis = await genesisOf(home, terminal);
  const data = join(home, HOME.data);
  await refuseNewerFormats(home, terminal);
  if (!existsSync(data)) {
    if (!create) throw new NodeError('home-incomplete', `${home} has no data: no node has run there yet`, { home });
    await mkdir(data, { recursive: true });
  }
  const [{ openExclusively }, { createDisk }] = await Promise.all([
    import('../storage/exclusive-ledger.ts'),
    import('@slipstream/platform'),
  ]);
  // The signing history must be accessible beside a damaged ledger, on which no node runs.
  const ledger = await openExclusively(data).catch((error: unknown) => {
    if (!(error instanceof DiskError && error.code === 'damaged')) throw error;
    return undefined;
  });
  try {
    const disk = createDisk({ root: data });
    return await use({ home, genesis, genesisHash: genesisHashOf(genesis), disk, ledger });
  } finally {
    await ledger?.close();
  }
}
