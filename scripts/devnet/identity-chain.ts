/** The identity chain of a network: one validator, in a folder inside the network's, whose root key the network's chain trusts. */
import { join } from 'node:path';
import { NodeError } from '../../apps/node/src/errors.ts';
import { readGenesis } from '../../apps/node/src/folder/files.ts';
import { HOME } from '../../apps/node/src/folder/layout.ts';
import { holdsChain } from './chain-folder.ts';
import { type Cluster, createCluster } from './cluster.ts';

export interface IdentityChain {
  readonly cluster: Cluster;
  /** 48 bytes. */
  readonly rootKey: Uint8Array;
}

export interface IdentityChainPlace {
  /** Of the network. */
  readonly folder: string;
  readonly basePort: number;
  readonly apiPort: number;
  readonly flags?: readonly string[];
}

const FOLDER = 'identity-chain';

export function holdsIdentityChain(folder: string): boolean {
  return holdsChain(join(folder, FOLDER));
}

/** Made, or continued. Not started yet. */
export async function openIdentityChain({ folder, ...place }: IdentityChainPlace): Promise<IdentityChain> {
  const cluster = await createCluster({
    ...place,
    folder: join(folder, FOLDER),
    chain: 'identity',
    validators: 1,
    fullNodes: 0,
  });
  const { trustedIssuers } = await readGenesis(join(folder, FOLDER, HOME.genesis));
  const [rootKey] = trustedIssuers;
  if (rootKey === undefined)
    throw new NodeError('home-incomplete', `the genesis in ${cluster.folder} names no root key`);
  return { cluster, rootKey };
}
