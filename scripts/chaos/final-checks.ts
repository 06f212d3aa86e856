/**
 * Checks after all faults: one chain, everything final present, no evidence, identical state bytes.
 *
 *   chain stops growing (no idle blocks) --> query every node --> stop --> compare files, verify stores, read logs
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { blockIds, type Cluster, createCluster, disagreements, type NodeFolder, notFinal } from '@slipstream/devnet';
import { DATA, HOME, readGenesis } from '@slipstream/node-home';
import { openState } from '@slipstream/node-home/state';
import { createDisk, createRandom } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { genesisHashOf } from '@slipstream/types';
import { heightsOf } from './recovery.ts';

export interface FinalChecks {
  readonly height: number;
  /** Final transactions that a node no longer shows as final, with receipt and proof. */
  readonly finalLost: number;
  readonly violations: readonly string[];
  readonly stateBytes: number;
}

const STILL_MS_MAX = 60_000;
/** The chain has stopped when its heights were equal and unchanged for this long. */
const STILL_MS = 3_000;
const POLL_MS = 250;
/** Longer than any run: a leader without transactions makes no block. */
export const NO_IDLE_BLOCKS: readonly string[] = ['--consensus-idle-block-interval-ms', '86400000'];

/** Starts a folder's chain without proxies and faults, queries it, and stops it. */
export async function checkStandingChain(
  folder: string,
  finalIds: readonly string[],
  say: (text: string) => void,
  flagsOf: (node: NodeFolder) => readonly string[] = () => [],
): Promise<FinalChecks> {
  const cluster = await createCluster({
    folder,
    validators: 0,
    fullNodes: 0,
    basePort: 0,
    apiPort: 0,
    flags: NO_IDLE_BLOCKS,
    flagsOf,
  });
  const violations: string[] = [];
  let height = 0;
  let finalLost = 0;
  try {
    await cluster.start();
    say('All faults are over; the chain comes to a standstill and is compared ...');
    height = await untilStill(cluster);
    violations.push(...(await compareChains(cluster)), ...(await findAccusations(cluster)));
    finalLost = await countLost(cluster, finalIds);
    if (finalLost > 0) violations.push(`${finalLost} final transactions are no longer final everywhere`);
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  } finally {
    await cluster.stop();
  }
  const state = await compareStates(cluster);
  return { height, finalLost, stateBytes: state.bytes, violations: [...violations, ...state.faults] };
}

/** Resolves with the common final height. */
export async function untilStill(cluster: Cluster): Promise<number> {
  const deadline = performance.now() + STILL_MS_MAX;
  let still: { readonly heights: string; readonly sinceMs: number } = { heights: '', sinceMs: 0 };
  while (performance.now() < deadline) {
    const heights = await heightsOf(cluster);
    const text = heights.join();
    if (text !== still.heights) still = { heights: text, sinceMs: performance.now() };
    const equal = heights.every((height) => height !== undefined && height === heights[0]);
    if (equal && performance.now() - still.sinceMs > STILL_MS) return heights[0] as number;
    await sleep(POLL_MS);
  }
  throw new Error(`the nodes did not come to one height within ${STILL_MS_MAX / 1000} s: ${still.heights}`);
}

async function compareChains({ nodes }: Cluster): Promise<readonly string[]> {
  const chains = await Promise.all(nodes.map(({ client }) => blockIds(client)));
  const [first, ...others] = chains;
  if (first === undefined) return [];
  return others.flatMap((other, index) => {
    const heights = disagreements(first, other);
    const name = nodes[index + 1]?.name;
    return heights.length === 0 ? [] : [`${nodes[0]?.name} and ${name} differ at heights ${heights.join(', ')}`];
  });
}

/** Evidence and blocked validators: no node of this network lies. */
async function findAccusations({ nodes }: Cluster): Promise<readonly string[]> {
  const found = await Promise.all(
    nodes.map(async ({ name, client }) => {
      const { items, malformed } = await client.call('evidence');
      const { items: peers } = await client.peers();
      const blocked = peers.filter(({ blocked, validator }) => blocked !== null && validator !== null);
      return [
        ...items.map((item) => `${name} holds evidence: ${JSON.stringify(item)}`),
        ...malformed.map(({ item, fault }) => `${name} holds malformed evidence, item ${item}: ${fault}`),
        ...blocked.map(({ validator, blocked }) => `${name} blocks honest validator ${validator}: ${blocked?.reason}`),
      ];
    }),
  );
  return found.flat();
}

/** Checks all ids at one node, a share at the others, because their chains were compared block by block. */
async function countLost({ nodes }: Cluster, ids: readonly string[]): Promise<number> {
  const [first, ...others] = nodes;
  if (first === undefined) return ids.length;
  const lost = new Set(await notFinal(first.client, ids));
  const stride = Math.max(1, others.length);
  for (const [index, { client }] of others.entries()) {
    const share = ids.filter((_, at) => at % stride === index);
    for (const id of await notFinal(client, share)) lost.add(id);
  }
  return lost.size;
}

/** Compares the state files of stopped nodes byte for byte, and verifies each store. */
export async function compareStates({
  nodes,
}: Pick<Cluster, 'nodes'>): Promise<{ readonly bytes: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  const folders = await Promise.all(nodes.map(({ home }) => digestsOf(join(home, HOME.data, DATA.state))));
  for (const [index, { name, home }] of nodes.entries()) {
    const differing = differences(folders[0] ?? new Map(), folders[index] ?? new Map());
    if (differing.length > 0)
      faults.push(`state files of ${nodes[0]?.name} and ${name} differ: ${differing.join(', ')}`);
    faults.push(...(await verifyState(home)).map((fault) => `state of ${name}: ${fault}`));
  }
  const sizes = [...(folders[0]?.values() ?? [])].map(({ bytes }) => bytes);
  return { bytes: sizes.reduce((sum, bytes) => sum + bytes, 0), faults };
}

type Digests = ReadonlyMap<string, { readonly digest: string; readonly bytes: number }>;

async function digestsOf(folder: string): Promise<Digests> {
  const names = (await readdir(folder)).toSorted();
  const digests = new Map<string, { digest: string; bytes: number }>();
  for (const name of names) {
    const content = await readFile(join(folder, name));
    digests.set(name, { digest: createHash('sha256').update(content).digest('hex'), bytes: content.length });
  }
  return digests;
}

function differences(a: Digests, b: Digests): readonly string[] {
  const names = new Set([...a.keys(), ...b.keys()]);
  return [...names].filter((name) => a.get(name)?.digest !== b.get(name)?.digest).toSorted();
}

async function verifyState(home: string): Promise<readonly string[]> {
  const genesis = await readGenesis(join(home, HOME.genesis));
  const disk = createDisk({ root: join(home, HOME.data) });
  const world = { random: createRandom(), telemetry: silentTelemetry };
  const state = await openState(disk, { genesis, genesisHash: genesisHashOf(genesis) }, world);
  try {
    const { faults } = await state.verify();
    return faults.map(({ file, offset, what }) => `${file} at ${offset}: ${what}`);
  } finally {
    await state.close();
  }
}
