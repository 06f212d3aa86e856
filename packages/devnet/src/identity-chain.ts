/** The identity chain of a network: one validator, in a folder inside the network's. The network's chain trusts its root key. */
import { join } from 'node:path';
import { PORT_MAX } from '@slipstream/command-line';
import { HOME, readGenesis } from '@slipstream/node-home';
import { holdsChain } from './chain-folder.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { DevnetError } from './errors.ts';

export interface IdentityChain {
  readonly cluster: Cluster;
  /** 48 bytes. */
  readonly rootKey: Uint8Array;
}

interface IdentityChainPlace {
  /** Of the network. */
  readonly folder: string;
  readonly basePort: number;
  readonly apiPort: number;
  readonly flags?: readonly string[];
}

const FOLDER = 'identity-chain';
/** Above the network's first ports. */
const PORTS_ABOVE = 100;

interface FirstPorts {
  readonly basePort: number;
  readonly apiPort: number;
}

export function identityPorts({ basePort, apiPort }: FirstPorts): FirstPorts {
  return { basePort: basePort + PORTS_ABOVE, apiPort: apiPort + PORTS_ABOVE };
}

/** One line per port that a node of the network needs too, or that does not exist. */
export function identityPortFaults(first: FirstPorts, nodes: number): readonly string[] {
  return Object.values(identityPorts(first)).flatMap((port) => {
    const shared = Object.values(first).some((from) => port >= from && port < from + nodes);
    if (!shared && port <= PORT_MAX) return [];
    const why = shared ? 'which a node of the network needs' : `and the last port is ${PORT_MAX}`;
    return [`--identity-chain listens on port ${port}, ${why}: choose another --network-port or --api-port`];
  });
}

export function holdsIdentityChain(folder: string): boolean {
  return holdsChain(join(folder, FOLDER));
}

/** Creates or reuses the chain; does not start it. */
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
    throw new DevnetError('home-incomplete', `the genesis in ${cluster.folder} names no root key`);
  return { cluster, rootKey };
}
