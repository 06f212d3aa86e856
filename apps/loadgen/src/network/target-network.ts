/** The network under load: a running one, or one that this program starts. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@slipstream/client';
import { type Cluster, createCluster, freePortRange, shareGenesisState } from '@slipstream/devnet';
import type { FoundingApplication } from '@slipstream/node-home/applications';
import { counted } from '@slipstream/primitives';
import type { DistilledParameters } from '@slipstream/types';
import type { WatchedNode } from '../measure/node-sampler.ts';
import { remoteNode } from '../sending/node-handle.ts';
import { handlesOf } from './cluster-nodes.ts';

export interface TargetNetwork {
  readonly nodes: readonly WatchedNode[];
  /** Undefined for a network that this program did not start. */
  readonly cluster: Cluster | undefined;
  /** Stops and removes a network that this program started. Idempotent. */
  close(): Promise<void>;
}

export interface NetworkShape {
  readonly validators: number;
  readonly fullNodes: number;
  readonly accounts: number;
  /** Of the genesis. Default: no account directory. */
  readonly distilled?: DistilledParameters;
  readonly applications?: readonly FoundingApplication[];
  readonly flags?: readonly string[];
  /** For one node, after those for all. */
  readonly flagsOf?: (node: string) => readonly string[];
  readonly say: (text: string) => void;
  /** Each thread of each node writes a processor profile here when it ends. */
  readonly profileFolder?: string;
}

export function networkAt(urls: readonly string[]): TargetNetwork {
  return { nodes: urls.map((url) => remoteNode(createClient({ url }))), cluster: undefined, close: async () => {} };
}

/** From here on the first start takes minutes: an Ed25519 multiplication an account, then copies of the state. */
const SLOW_ACCOUNTS = 1_000_000;

/** Resolves when every node is ready. */
export async function startOwnNetwork(shape: NetworkShape): Promise<TargetNetwork> {
  const { validators, fullNodes, accounts, say } = shape;
  const folder = await mkdtemp(join(tmpdir(), 'slipstream-loadgen-'));
  const count = validators + fullNodes;
  const basePort = await freePortRange(2 * count);
  const cluster = await createCluster({
    folder,
    validators,
    fullNodes,
    basePort,
    apiPort: basePort + count,
    generatedAccounts: accounts,
    ...(shape.distilled && { distilled: shape.distilled }),
    ...(shape.applications && { applications: shape.applications }),
    flags: ['--log-level', 'info', ...(shape.flags ?? [])],
    flagsOf: ({ name }) => shape.flagsOf?.(name) ?? [],
  });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= cluster.stop().then(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    return closing;
  };
  try {
    if (accounts > SLOW_ACCOUNTS) say(`Deriving ${accounts} accounts for the genesis state ...`);
    await shareGenesisState(cluster.nodes.map(({ home }) => home));
    say(`Starting ${counted(validators, 'validator')} and ${counted(fullNodes, 'full node')} in ${folder} ...`);
    if (shape.profileFolder !== undefined) profileNodes(shape.profileFolder);
    await cluster.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { nodes: handlesOf(cluster), cluster, close };
}

/** Processes that start later inherit the environment. */
function profileNodes(folder: string): void {
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --cpu-prof --cpu-prof-dir=${folder}`.trim();
}
