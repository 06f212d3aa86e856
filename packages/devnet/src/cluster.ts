/**
 * A network of real processes on this machine: started together, killed and restarted one by one, stopped together.
 *
 *   folder (created or reused) --> cluster --start--> all ready --kill, restart...--> stop
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, createClient } from '@slipstream/client';
import { HOME } from '@slipstream/node-home';
import { type ChainShape, holdsChain, makeChain, type NodeFolder, readChain } from './chain-folder.ts';
import { DevnetError } from './errors.ts';
import { linkDelays } from './latency.ts';
import { createNodeProcess, type Death, type NodeProcess } from './node-process.ts';
import { takenPorts } from './ports.ts';

export interface ClusterOptions extends ChainShape {
  /** A chain in it continues, with its own number of nodes. */
  readonly folder: string;
  /** Index of a validator that signs wrongly. */
  readonly corrupt?: number;
  /** Regions of the nodes, in turn. */
  readonly regions?: readonly string[];
  /** For every node. */
  readonly flags?: readonly string[];
  /** For one node, after those for all. */
  flagsOf?(node: NodeFolder, all: readonly NodeFolder[]): readonly string[];
  /** Options of Node itself. */
  runtimeFlagsOf?(node: NodeFolder): readonly string[];
}

export interface ClusterNode extends NodeFolder {
  readonly url: string;
  readonly client: Client;
  readonly process: NodeProcess;
}

export interface Cluster {
  readonly folder: string;
  readonly genesisFile: string;
  readonly nodes: readonly ClusterNode[];
  node(name: string): ClusterNode;
  /**
   * Starts the named nodes, or all, and resolves when each is ready. A node that cannot be ready only has to answer: a corrupt one, which
   * the others block, and any while too few validators run. `until` answers: of all, for a chain that may stand still. Throws DevnetError
   * when one ends before, or is not ready in time.
   */
  start(names?: readonly string[], until?: 'ready' | 'answers'): Promise<void>;
  /** SIGKILL; resolves when they are gone. */
  kill(names?: readonly string[]): Promise<void>;
  /** SIGTERM; resolves when all are gone. Idempotent. */
  stop(): Promise<void>;
  onDeath(listener: (node: ClusterNode, death: Death) => void): void;
}

const READY_MS_MAX = 120_000;
const READY_POLL_MS = 100;
const LOG_LINES_SHOWN = 5;

export async function createCluster(options: ClusterOptions): Promise<Cluster> {
  const { folder } = options;
  if (!holdsChain(folder)) await makeChain(folder, options);
  const folders = await readChain(folder);
  const delays = options.regions
    ? linkDelays(
        folders.map(({ peerKey }) => peerKey),
        options.regions,
      )
    : undefined;
  const nodes = folders.map((place, index): ClusterNode => {
    const isCorrupt = place.validator !== undefined && place.validator === options.corrupt;
    const flags = [
      ...(delays ? ['--network-delays', (delays[index] ?? []).join(',')] : []),
      ...(isCorrupt ? ['--development-corrupt-signatures', 'true'] : []),
      ...(options.flags ?? []),
      ...(options.flagsOf?.(place, folders) ?? []),
    ];
    const runtimeFlags = options.runtimeFlagsOf?.(place) ?? [];
    const url = `http://127.0.0.1:${place.apiPort}`;
    return {
      ...place,
      url,
      client: createClient({ url }),
      process: createNodeProcess({
        ...place,
        flags,
        runtimeFlags,
        faults: { corruptSignatures: isCorrupt, cutPeers: [] },
      }),
    };
  });
  const named = (names?: readonly string[]) => (names === undefined ? nodes : names.map(node));

  function node(name: string): ClusterNode {
    const found = nodes.find((known) => known.name === name);
    if (found === undefined)
      throw new Error(`there is no node ${name}: ${nodes.map((known) => known.name).join(', ')}`);
    return found;
  }

  async function start(names?: readonly string[], until: 'ready' | 'answers' = 'ready'): Promise<void> {
    const chosen = named(names);
    await checkPorts(chosen);
    for (const { process } of chosen) process.start();
    await Promise.all(
      chosen.map((each) => untilUp(each, () => (until === 'ready' && mayBeReady(each) ? 'readyz' : 'healthz'))),
    );
  }

  /** Assumes equal weights. */
  function mayBeReady({ validator }: ClusterNode): boolean {
    if (validator !== undefined && validator === options.corrupt) return false;
    const validators = nodes.filter((each) => each.validator !== undefined);
    const running = validators.filter((each) => each.process.running && each.validator !== options.corrupt);
    return running.length * 3 > validators.length * 2;
  }

  return {
    folder,
    genesisFile: join(folder, HOME.genesis),
    nodes,
    node,
    start,
    kill: async (names) => void (await Promise.all(named(names).map(({ process }) => process.kill()))),
    stop: async () => void (await Promise.all(nodes.map(({ process }) => process.stop()))),
    onDeath(listener) {
      for (const each of nodes) each.process.onDeath((death) => listener(each, death));
    },
  };
}

async function checkPorts(nodes: readonly ClusterNode[]): Promise<void> {
  const taken = await takenPorts(nodes.flatMap(({ networkPort, apiPort }) => [networkPort, apiPort]));
  if (taken.length === 0) return;
  const one = taken.length === 1;
  throw new DevnetError(
    'port-in-use',
    `port${one ? '' : 's'} ${taken.join(', ')} ${one ? 'is' : 'are'} in use: another network or node may be running. ` +
      'Stop it, or choose others with --network-port and --api-port (a folder made earlier keeps its own).',
  );
}

async function untilUp(node: ClusterNode, probe: () => 'readyz' | 'healthz'): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline) {
    if (!node.process.running) {
      throw new DevnetError(
        'node-failed',
        `${node.name} ended while starting. Its log (${node.process.logFile}) ends with:\n${await logEnd(node)}`,
      );
    }
    try {
      await node.client.call(probe(), { timeoutMs: 2_000 });
      return;
    } catch {
      await sleep(READY_POLL_MS);
    }
  }
  throw new DevnetError(
    'node-failed',
    `${node.name} is not ready after ${READY_MS_MAX / 1000} s; see ${node.process.logFile}`,
  );
}

export async function logEnd({ process: { logFile } }: ClusterNode): Promise<string> {
  if (!existsSync(logFile)) return '  (nothing)';
  const lines = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  return lines
    .slice(-LOG_LINES_SHOWN)
    .map((line) => `  ${line}`)
    .join('\n');
}
