/** Whole nodes whose committee changes by governance, under load: rules N1 to N6 over epochs. */
import { CRASH_MODES } from '@slipstream/simulator';
import type { ClusterOptions } from '../harness/cluster.ts';
import { isIn, type Step, startGovernance } from '../harness/whole/governance.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { auditFiles, finish, type Whole, whole } from './whole.ts';

/** An epoch is sealed at its 64th block or later. */
export const EPOCH_MS_MAX = 120_000;
/** Without crashes. */
const FIRST_EPOCH_MS_MAX = 40_000;
const JOINERS = 2;

export interface Changing extends Whole {
  readonly steps: readonly Step[];
  /** All nodes. */
  readonly indices: readonly number[];
}

/** Weights change, then twice a member leaves and a full node joins. */
function changing(stage: Stage): Changing {
  const { size } = stage;
  const [heavy, first, second] = inAnyOrder(stage) as [number, number, number];
  return governed(stage, JOINERS, [
    { weights: [{ node: heavy, weight: 2 }] },
    { leaves: first, joins: size },
    { leaves: second, joins: size + 1 },
  ]);
}

function inAnyOrder({ size, random }: Stage): readonly number[] {
  return Array.from({ length: size }, (_, index) => index).sort(() => random.unit() - 0.5);
}

export function governed(
  stage: Stage,
  observers: number,
  steps: readonly Step[],
  options: Partial<ClusterOptions> = {},
): Changing {
  const made = whole(stage, { observers, ...options });
  startGovernance(made.cluster, made.record, made.clients, steps);
  return { ...made, steps, indices: Array.from({ length: stage.size + observers }, (_, index) => index) };
}

/** All changes are made, every node is in the newest epoch, members sign and propose in it, and the others follow. */
export async function untilChanged({ cluster, record, steps, indices }: Changing): Promise<void> {
  const { until, peer, node } = cluster;
  const newest = () => record.boundaries.size;
  const isDone = ({ joins, leaves }: Step) =>
    (joins === undefined || isIn(record, newest(), peer(joins))) &&
    (leaves === undefined || !isIn(record, newest(), peer(leaves)));
  await until(
    'all changes are made',
    () => newest() >= steps.length && steps.every(isDone),
    (steps.length + JOINERS) * EPOCH_MS_MAX,
  );
  const hasItsPart = (index: number) => {
    const consensus = node(index).running?.consensus;
    if (consensus?.epoch() !== newest()) return false;
    return consensus.signing()?.state === (isIn(record, newest(), peer(index)) ? 'signing' : undefined);
  };
  await until('members sign, the others follow', () => indices.every(hasItsPart), EPOCH_MS_MAX);
  const proposes = (member: number) =>
    [...record.blocks.values()].some(({ epoch, proposer }) => epoch === newest() && proposer === member);
  const hasAll = () => record.seals.get(newest())?.committee.members.every(({ index }) => proposes(index)) === true;
  await until('each member proposes', hasAll, EPOCH_MS_MAX);
}

export const wholeEpochs: Scenario = {
  name: 'whole-epochs',
  about:
    'Administrators change weights and replace two members of whole nodes, under load: nothing is lost or final twice at a boundary, joiners sign, leavers follow.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const made = changing(stage);
    made.cluster.start();
    await untilChanged(made);
    await finish(made, made.indices);
    await auditFiles(made, stage, made.indices);
  },
};

export const wholeBoundary: Scenario = {
  name: 'whole-boundary',
  about:
    'A member of whole nodes is replaced, and half of the nodes lose power right after the boundary: the quick part of whole-epochs-crashes.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const { size, random } = stage;
    const [leaves] = inAnyOrder(stage) as [number];
    const made = governed(stage, 1, [{ leaves, joins: size }]);
    const { cluster, record, indices } = made;
    cluster.start();
    await cluster.until('epoch 0 ends', () => record.boundaries.has(0), FIRST_EPOCH_MS_MAX);
    await cluster.run(random.below(200));
    const victims = indices.filter(() => random.chance(0.5));
    for (const index of victims) cluster.node(index).crash(random.pick(CRASH_MODES));
    cluster.mark(`power cut after the boundary: ${victims}`);
    cluster.start(victims);
    await cluster.healed(indices);
    await untilChanged(made);
    await finish(made, indices);
    await auditFiles(made, stage, indices);
  },
};

export const wholeEpochsCrashes: Scenario = {
  name: 'whole-epochs-crashes',
  about:
    'The same with power cuts at random, right after each seal and right after each boundary, of one node, several or all, some down for seconds.',
  sizes: [4, 7],
  long: true,
  async play(stage) {
    const { random } = stage;
    const made = changing(stage);
    const { cluster, record, steps, indices } = made;
    const { run, until, start, node, mark } = cluster;

    async function powerCut(why: string): Promise<void> {
      const order = [...indices].sort(() => random.unit() - 0.5);
      const victims = order.slice(0, random.pick([1, 1, 2, indices.length]));
      mark(`power cut ${why}: ${victims}`);
      for (const victim of victims) node(victim).crash(random.pick(CRASH_MODES));
      if (random.chance(0.3)) await run(random.below(3_000));
      start(victims);
    }

    start();
    for (const epoch of steps.keys()) {
      for (let round = random.below(3); round > 0; round--) {
        await run(300 + random.below(3_000));
        await powerCut('at random');
      }
      await until(`epoch ${epoch + 1} is sealed`, () => record.seals.has(epoch + 1), EPOCH_MS_MAX);
      await run(random.below(30));
      await powerCut('after the seal');
      await until(`epoch ${epoch} ends`, () => record.boundaries.has(epoch), EPOCH_MS_MAX);
      await run(random.below(30));
      await powerCut('after the boundary');
    }
    await cluster.healed(indices);
    await untilChanged(made);
    await finish(made, indices);
    await auditFiles(made, stage, indices);
  },
};
