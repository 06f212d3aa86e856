/** Distilled batches on whole nodes (rule N7). */
import { assert, sha256, toHex } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import type { DistilledParameters } from '@slipstream/types';
import { falseBatches } from '../attackers/false-batches.ts';
import { startBroker } from '../harness/whole/broker.ts';
import { DISTANCE } from '../harness/whole/join.ts';
import { wholeNode } from '../harness/whole/node.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { auditFiles, finish, type Whole, whole } from './whole.ts';

const DISTILLED: DistilledParameters = { accountsMax: 100, rowsPerBlock: 200, registrationsPerBlock: 4 };
const WITHIN_MS = 20_000;

export const wholeBatches: Scenario = {
  name: 'whole-batches',
  about:
    'A broker and a full node offer rows of registered accounts to whole nodes under power cuts and a partition, while a producer packs copies with false aggregates or a node joins by state sync: each row has its effect once, and all nodes skip the same batches.',
  async play(stage) {
    const { random, size } = stage;
    const liar = random.chance(0.5) ? random.below(size) : undefined;
    const made = whole(stage, { distilled: DISTILLED, observers: 1 }, (record) => {
      const isTrue = (batch: Uint8Array) => record.batches.isTrue(toHex(sha256(batch)));
      return new Map(liar === undefined ? [] : [[liar, falseBatches(wholeNode(record), isTrue)]]);
    });
    const { cluster, record, clients } = made;
    const { start, honest, checks, until, mark } = cluster;
    mark(`packs false batches: ${liar ?? 'no member'}`);
    start();
    const broker = startBroker(cluster, record, clients, random, liar);
    await until('batches run', () => record.batches.ran.size > 5, WITHIN_MS);
    if (liar === undefined) await joinLate(made, stage);
    else {
      const isBlocked = () => checks.blocking.blockedBy(liar).size > 0;
      await until('the liar is blocked', isBlocked, WITHIN_MS);
    }
    await faults(made, stage);
    broker.stop();
    const audited = [...honest, size];
    await finish(made, audited);
    assert(broker.forged > 0 && record.batches.ran.size > 10, 'batches run, and false ones are offered');
    const isForwarded = [...broker.forwarded].some((id) => record.batches.ran.has(id));
    assert(isForwarded, 'a batch that the full node brought to a validator runs');
    await auditFiles(made, stage, audited);
  },
};

/** Without the blocks in which accounts registered and batches ran. */
async function joinLate({ cluster, record }: Whole, { random }: Stage): Promise<void> {
  const { finalHeight, members, node, peer, start, until } = cluster;
  const late = random.pick(members);
  const joins = record.joins.length;
  node(late).crash(random.pick(CRASH_MODES));
  const others = members.filter((member) => member !== late);
  // One of the others may be behind it.
  const goal = finalHeight([late]) + 3 * DISTANCE;
  await until('the others are far ahead', () => finalHeight(others) >= goal, WITHIN_MS);
  start([late]);
  const hasJoined = () => record.joins.slice(joins).some((join) => join.peer === peer(late));
  await until('a node joins by state sync', hasJoined, WITHIN_MS);
}

async function faults({ cluster }: Whole, { random, size: fullNode }: Stage): Promise<void> {
  const { honest, network, peer, run, healed, restart, mark } = cluster;
  const all = [...honest, fullNode];
  for (let round = 0; round < 2; round++) {
    await run(300 + random.below(700));
    const victims = random.chance(0.3) ? all : [random.pick(all)];
    for (const victim of victims) restart(victim, random.pick(CRASH_MODES));
  }
  await healed(honest);
  const alone = random.pick(honest);
  const apart = random.chance(0.5) ? [alone, fullNode] : [alone];
  mark(`apart: ${apart}`);
  const others = all.filter((index) => !apart.includes(index));
  network.partition([apart.map(peer), others.map(peer)]);
  await run(300 + random.below(1_500));
  network.healAll();
  await healed(honest);
}
