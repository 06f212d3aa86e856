/**
 * Whole nodes (harness/whole): dissemination, consensus, pipeline, execution, ledger, state store and state sync at once. Rules N1 to N5 count
 * transactions from client to receipt.
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES, EPOCH_MS } from '@slipstream/simulator';
import type { Cluster, ClusterOptions, NodeCode } from '../harness/cluster.ts';
import { audit } from '../harness/whole/audit.ts';
import { type Clients, startClients } from '../harness/whole/clients.ts';
import { DISTANCE } from '../harness/whole/join.ts';
import { wholeNode } from '../harness/whole/node.ts';
import { createWholeRecord, type WholeRecord } from '../harness/whole/record.ts';
import { SNAPSHOTS } from '../harness/whole/stores.ts';
import type { Scenario, Stage } from '../scenario.ts';

const HISTORY_QUERY_MS = 20;

export interface Whole {
  readonly cluster: Cluster;
  readonly record: WholeRecord;
  readonly clients: Clients;
}

/** `liarsOf`: may look into the record. */
export function whole(
  stage: Stage,
  options: Partial<ClusterOptions> = {},
  liarsOf: (record: WholeRecord) => ReadonlyMap<number, NodeCode> = () => new Map(),
): Whole {
  const record = createWholeRecord(() => cluster.simulation.nowMs);
  const cluster: Cluster = stage.cluster({
    code: wholeNode(record),
    byzantine: liarsOf(record),
    sealedCommittee: (epoch) => record.seals.get(epoch)?.committee,
    ...options,
    consensus: { historyQueryMs: HISTORY_QUERY_MS },
  });
  return { cluster, record, clients: startClients(cluster, record, stage.random) };
}

export async function finish({ cluster, record, clients }: Whole, indices?: readonly number[]): Promise<void> {
  const { run, simulation } = cluster;
  await run(500);
  clients.stop();
  await audit(cluster, record, indices ?? cluster.members);
  const short = record.expired(EPOCH_MS + simulation.nowMs).length;
  assert(record.places.size > 10 * short, `few transactions expire (${short} of ${record.all.size})`);
}

/** All lose power at once: afterwards the files alone must have everything. */
export async function auditFiles(
  { cluster, record }: Whole,
  { random }: Stage,
  indices: readonly number[] = cluster.members,
): Promise<void> {
  for (const index of indices) cluster.node(index).crash(random.pick(CRASH_MODES));
  cluster.start(indices);
  await cluster.until('all run again', () => indices.every((index) => cluster.node(index).running), 20_000);
  await cluster.healed(indices);
  await audit(cluster, record, indices);
}

export const wholeCrashes: Scenario = {
  name: 'whole-crashes',
  about:
    'Power cuts and restarts of one whole node or of all: no transaction is lost or final twice, all states are equal.',
  sizes: [4, 7],
  async play(stage) {
    const { random } = stage;
    const made = whole(stage);
    const { start, run, healed, members, restart } = made.cluster;
    start();
    for (let round = 0; round < 5; round++) {
      await run(300 + random.below(1_000));
      const victims = random.chance(0.25) ? members : [random.pick(members)];
      for (const victim of victims) restart(victim, random.pick(CRASH_MODES));
    }
    await healed();
    await finish(made);
    await auditFiles(made, stage);
  },
};

export const wholePartitions: Scenario = {
  name: 'whole-partitions',
  about:
    'One whole node is cut off, or the network splits into halves, with clients at both sides: all is final once after the healing.',
  sizes: [4, 7],
  async play(stage) {
    const { random, size } = stage;
    const made = whole(stage);
    const { start, run, healed, members, network, peer, mark } = made.cluster;
    start();
    for (let round = 0; round < 3; round++) {
      await run(300 + random.below(1_000));
      const order = [...members].sort(() => random.unit() - 0.5);
      const at = random.chance(0.5) ? 1 : size >> 1;
      mark(`apart: ${order.slice(0, at).join()} and ${order.slice(at).join()}`);
      network.partition([order.slice(0, at).map(peer), order.slice(at).map(peer)]);
      await run(300 + random.below(2_000));
      mark('healed');
      network.healAll();
      await healed();
    }
    await finish(made);
    await auditFiles(made, stage);
  },
};

export const wholeLateNode: Scenario = {
  name: 'whole-late-node',
  about:
    'A validator with an empty or old folder joins by state sync while the others go on; a full node, starting or running, joins from it alone.',
  sizes: [4, 7],
  async play(stage) {
    const { random, size } = stage;
    const made = whole(stage, { observers: 1 });
    const { cluster, record } = made;
    const { start, run, progress, until, healed, members, node, peer, restart } = cluster;
    const late = random.below(size);
    const early = members.filter((member) => member !== late);
    const isOld = random.chance(0.5);
    start(isOld ? members : early);
    await run(600 + random.below(600));
    if (isOld) node(late).crash(random.pick(CRASH_MODES));
    await progress(3 * DISTANCE, 20_000, early);
    start([late]);
    if (random.chance(0.5)) {
      await run(random.below(60));
      restart(late, random.pick(CRASH_MODES));
    }
    await until('it took over a state', () => record.joins.some((join) => join.peer === peer(late)), 20_000);
    await until('it runs', () => node(late).running !== undefined, 20_000);
    await healed(members);
    await joinFrom(made, stage, { server: late, joining: size });
    restart(random.pick(early), random.pick(CRASH_MODES));
    await healed(members);
    await finish(made, [...members, size]);
    await auditFiles(made, stage);
  },
};

/** The server has no chunks below the state that it took over: a node that reaches it alone cannot join by blocks. */
async function joinFrom(
  { cluster, record }: Whole,
  { random }: Stage,
  { server, joining }: { readonly server: number; readonly joining: number },
): Promise<void> {
  const { members, network, peer, start, until, node } = cluster;
  const when = random.pick(['at start', 'beside'] as const);
  for (const member of members) {
    if (member !== server || when === 'beside') network.cut(peer(joining), peer(member));
  }
  if (when === 'beside') start([joining]);
  const ownHeight = record.heightOf(peer(server)) + SNAPSHOTS.every + 2;
  await until('the late one has a snapshot', () => record.heightOf(peer(server)) >= ownHeight, 20_000);
  if (when === 'beside') {
    await until('the full node waits for peers', () => node(joining).running !== undefined, 20_000);
    network.heal(peer(joining), peer(server));
  } else start([joining]);
  const hasJoined = () => record.joins.some((join) => join.peer === peer(joining) && join.when === when);
  await until(`the full node took over a state ${when}`, hasJoined, 20_000);
  await until('it runs', () => node(joining).running !== undefined, 20_000);
  for (const member of members) if (member !== server) network.heal(peer(joining), peer(member));
}
