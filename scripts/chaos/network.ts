import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Cluster,
  type ClusterNode,
  createCluster,
  freePortRange,
  makeChain,
  type NodeFolder,
  readChain,
} from '@slipstream/devnet';
import { HOME } from '@slipstream/node-home';
import { giveBlsKey } from '../devnet/governing.ts';
import type { EpochWatch } from './epoch-watch.ts';
import { createFabric, type Fabric } from './fabric.ts';
import type { Site } from './site.ts';
import { createSlowDisks } from './slow-disks.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';
import { createWallClocks } from './wall-clocks.ts';

export interface NetworkOptions {
  readonly folder: string;
  readonly validators: number;
  readonly fullNodes: number;
  readonly smallDisk: boolean;
  /** Full nodes have a BLS key. */
  readonly candidates: boolean;
  onUnexpectedDeath(name: string, cause: string): void;
}

export interface ChaosNetwork extends Site {
  /** Undefined: there is one, or none was requested. */
  readonly noSmallDisk: string | undefined;
  follow(epochs: Pick<EpochWatch, 'validators'>): void;
  stop(): Promise<void>;
}

/** Enough for one validator's data over a long run. */
const SMALL_DISK_BYTES = 512 * 1024 * 1024;
/** Known to the full node: fewer than all, so that it follows an upstream. */
const UPSTREAMS = 2;
const POLL_MS = 50;
const CLOCKS = 'clocks';
const DISKS = 'disks';

export async function openNetwork(options: NetworkOptions): Promise<ChaosNetwork> {
  const { folder, validators, fullNodes } = options;
  const count = validators + fullNodes;
  const basePort = await freePortRange(2 * count);
  await makeChain(folder, { validators, fullNodes, basePort, apiPort: basePort + count });
  const places = await readChain(folder);
  const members = places.filter(({ validator }) => validator !== undefined);
  const smallDiskNode = members.at(-1) as NodeFolder;
  const disk = options.smallDisk ? await mountFor(smallDiskNode) : undefined;
  const fabric = await createFabric(
    places.map(({ name }) => name),
    members.map(({ name, networkPort }) => ({ name, port: networkPort })),
  );
  const clocks = createWallClocks(join(folder, CLOCKS));
  const disks = createSlowDisks(join(folder, DISKS));
  const cluster = await createCluster({
    folder,
    validators,
    fullNodes,
    basePort,
    apiPort: basePort + count,
    runtimeFlagsOf: ({ name }) => [...clocks.runtimeFlagsOf(name), ...disks.runtimeFlagsOf(name)],
    flagsOf: (node) => [...peerFlags(node, members, fabric), ...(options.candidates ? keyFlags(node.validator) : [])],
  });
  if (options.candidates) await Promise.all(cluster.nodes.filter(isFullNode).map(giveBlsKey));
  let epochs: Pick<EpochWatch, 'validators'> = { validators: () => members.map(({ name }) => name) };
  const expected = watchDeaths(cluster, options.onUnexpectedDeath);
  const smallDisk = disk !== undefined && 'folder' in disk ? disk : undefined;

  return {
    cluster,
    fabric,
    clocks,
    disks,
    smallDisk,
    noSmallDisk: disk !== undefined && 'reason' in disk ? disk.reason : undefined,
    get validators() {
      return epochs.validators();
    },
    follow(watch) {
      epochs = watch;
    },
    smallDiskNode: smallDiskNode.name,
    fullNode: places.find(isFullNode)?.name,
    expectDeath: (name) => void expected.add(name),
    untilDead: (name, timeoutMs) => untilDead(cluster.node(name), timeoutMs),
    kill: (names) => cluster.kill(names),
    revive(names) {
      for (const name of names) {
        expected.delete(name);
        const { process } = cluster.node(name);
        if (!process.running) process.start();
      }
    },
    async stop() {
      await cluster.stop();
      await fabric.stop();
    },
  };
}

function peerFlags({ name, validator }: NodeFolder, members: readonly NodeFolder[], fabric: Fabric): readonly string[] {
  const known = validator === undefined ? members.slice(0, UPSTREAMS) : members.filter((to) => to.name !== name);
  const peers = known.map((to) => `${to.peerKey}@127.0.0.1:${fabric.portOf(name, to.name)}`);
  return ['--network-peers', peers.join(',')];
}

const isFullNode = ({ validator }: NodeFolder) => validator === undefined;

/** A full node signs where a record has its key. */
export function keyFlags(validator: number | undefined): readonly string[] {
  return validator === undefined ? ['--keys-bls', HOME.blsKeystore] : [];
}

async function untilDead({ process }: ClusterNode, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (process.running && performance.now() < deadline) await sleep(POLL_MS);
  return !process.running;
}

async function mountFor({ home }: NodeFolder): Promise<SmallDisk | { readonly reason: string }> {
  const data = join(home, HOME.data);
  await mkdir(data, { recursive: true });
  return mountSmallDisk(data, SMALL_DISK_BYTES);
}

/** Returns the nodes whose death is expected. */
function watchDeaths(cluster: Cluster, onUnexpected: (name: string, cause: string) => void): Set<string> {
  const expected = new Set<string>();
  cluster.onDeath(({ name }, { code, signal }) => {
    if (!expected.has(name)) onUnexpected(name, signal ?? `exit code ${code}`);
  });
  return expected;
}
