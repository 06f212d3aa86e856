/**
 * An application of whole nodes upgraded by governance while its calls run (applications.md, A13 to A17; decision 0076).
 *
 *   propose, approve --> reports of three members --seal--> power cuts --boundary--> power cuts --> first blocks, power cuts
 *        one member lacks the artifact: it commits the boundary, and stops               \--> accepts it, goes on: by blocks, or by a state
 *        a full node is down from before the seal, and takes over a state of the next epoch
 */
import { assert } from '@slipstream/primitives';
import { CRASH_MODES } from '@slipstream/simulator';
import type { Cluster } from '../harness/cluster.ts';
import { DISTANCE } from '../harness/whole/join.ts';
import type { WholeRecord } from '../harness/whole/record.ts';
import { compareWithReference, EVERY_ARTIFACT } from '../harness/whole/reference.ts';
import { SNAPSHOTS } from '../harness/whole/stores.ts';
import { type UpgradedToken, upgradedToken } from '../harness/whole/upgraded-token.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { auditFiles, finish, type Whole } from './whole.ts';
import { type Changing, EPOCH_MS_MAX, governed } from './whole-epochs.ts';

const CALL_EVERY_MS = 60;
const CALL_LIFE_MS = 20_000;
const JOINED_WITHIN_MS = 30_000;
/** Peers may certify only a block above the boundary: then it waits a minute (known-rules.ts). */
const STOPS_WITHIN_MS = 90_000;
const SIGNS_WITHIN_MS = 60_000;
/** Of the first block of the epoch, and those after. */
const FIRST_BLOCKS = 4;
/** A seal comes after 64 blocks. */
const EARLY_BLOCKS_MAX = 50;

export const applicationUpgrade: Scenario = {
  name: 'application-upgrade',
  about:
    'Governors upgrade an application of whole nodes under calls, amid power cuts at seal, boundary and the first blocks: one node lacks the artifact, stops at the boundary and goes on with it, one takes over a state beyond it; the version in force is the epoch’s, no call is lost or final twice, all disks are those of a node that executes in order.',
  long: true,
  async play(stage) {
    const { size, random } = stage;
    const token = await upgradedToken();
    const lacking = random.below(size);
    const having = new Set(Array.from({ length: size + 1 }, (_, index) => index).filter((index) => index !== lacking));
    const members = () => [...having].filter((index) => index < size);
    const made = governed(stage, 1, [{ upgrade: { change: token.change, reporters: members } }], {
      applications: token.chain((node) => having.has(node) || node === EVERY_ARTIFACT),
    });
    const { cluster, record, indices } = made;
    const calls = startCalls(made, stage, token);
    cluster.start();
    cluster.checks.mayExit(cluster.peer(lacking));
    await untilStopped(made, stage, { lacking, members });
    having.add(lacking);
    const acceptedAt = Math.max(...record.blocks.keys());
    await untilAllRun(made, lacking);
    calls.stop();
    await finish(made, indices);
    await auditFiles(made, stage, indices);
    await compareWithReference(cluster, record, indices, (after) => {
      const { epoch, height } = after.block;
      const isTooEarly = epoch === 1 && height < acceptedAt && after.signers.includes(lacking);
      assert(!isTooEarly, `A14: it signed height ${height} of an epoch whose artifact it lacked`);
      token.check(after);
    });
    assert(token.converted() > 0, 'A17: calls of the epoch converted balances');
  },
};

interface Nodes {
  readonly lacking: number;
  /** Members that have the artifact. */
  members(): readonly number[];
}

/** Seal, boundary and the first blocks of the epoch, with power cuts; the full node is down from before the seal. */
async function untilStopped(
  { cluster, record, indices }: Changing,
  stage: Stage,
  { lacking, members }: Nodes,
): Promise<void> {
  const { until, run, node } = cluster;
  const { random } = stage;
  const early = 1 + random.below(EARLY_BLOCKS_MAX);
  await until('some blocks are final', () => record.blocks.has(early), EPOCH_MS_MAX);
  node(fullNodeOf(indices)).crash(random.pick(CRASH_MODES));
  await until('epoch 1 is sealed', () => record.seals.has(1), EPOCH_MS_MAX);
  await run(random.below(60));
  await powerCut(cluster, stage, 'after the seal', [...members(), ...(node(lacking).alive ? [lacking] : [])]);
  await until('epoch 0 ends', () => record.boundaries.has(0), EPOCH_MS_MAX);
  await run(random.below(40));
  await powerCut(cluster, stage, 'after the boundary', members());
  await until('it stops', () => node(lacking).exitReason !== undefined && !node(lacking).alive, STOPS_WITHIN_MS);
  assertStopped(cluster, record, lacking);
  await until('the epoch has a block', () => isAbove(record, 1), EPOCH_MS_MAX);
  await run(random.below(40));
  await powerCut(cluster, stage, 'in the first blocks', members());
  const more = FIRST_BLOCKS + random.below(2 * DISTANCE);
  await until('it has more', () => isAbove(record, more), EPOCH_MS_MAX);
}

/** The member has the artifact, and the full node is far behind. */
async function untilAllRun({ cluster, record, indices }: Changing, lacking: number): Promise<void> {
  const { until, node, peer, start, healed, mark } = cluster;
  mark(`${lacking} accepts the artifact`);
  start([lacking]);
  const signs = () => node(lacking).running?.consensus?.signing()?.state === 'signing';
  await until('it signs again', signs, SIGNS_WITHIN_MS);
  // A snapshot is offered some blocks after its height; an older one leaves the boundary to the full node's own execution.
  await until('a state of the epoch is offered', () => isAbove(record, 2 * SNAPSHOTS.every), EPOCH_MS_MAX);
  const late = fullNodeOf(indices);
  const joins = () => record.joins.filter((join) => join.peer === peer(late)).length;
  const before = joins();
  start([late]);
  await until('the full node took over a state', () => joins() > before, JOINED_WITHIN_MS);
  await until('all run', () => indices.every((index) => node(index).running), JOINED_WITHIN_MS);
  await healed(indices);
}

const fullNodeOf = (indices: readonly number[]): number => indices.length - 1;

const boundaryOf = ({ boundaries }: WholeRecord): number => boundaries.get(0) ?? 0;

const isAbove = (record: WholeRecord, blocks: number): boolean => record.blocks.has(boundaryOf(record) + blocks);

function startCalls({ cluster, clients }: Whole, { random }: Stage, token: UpgradedToken): { stop(): void } {
  const { simulation } = cluster;
  let isStopped = false;
  function next(): void {
    if (isStopped) return;
    const { account, action } = token.draw(random);
    clients.send({ account, actions: [action], mayFail: true, lifeMs: CALL_LIFE_MS });
    simulation.schedule(2 * CALL_EVERY_MS * random.unit(), next);
  }
  simulation.schedule(CALL_EVERY_MS, next);
  return {
    stop() {
      isStopped = true;
    },
  };
}

/** Of one of them, or of all. */
async function powerCut(
  { node, start, run, mark }: Cluster,
  { random }: Stage,
  why: string,
  among: readonly number[],
): Promise<void> {
  const victims = random.chance(0.3) ? among : [random.pick(among)];
  mark(`power cut ${why}: ${victims}`);
  for (const victim of victims) node(victim).crash(random.pick(CRASH_MODES));
  if (random.chance(0.3)) await run(random.below(1_000));
  start(victims);
}

/** A14: it committed the boundary, and nothing above it; nor did it propose there. */
function assertStopped({ node, peer }: Cluster, record: WholeRecord, lacking: number): void {
  const reason = node(lacking).exitReason ?? '';
  assert(
    /^epoch 1 runs application 0 with artifact 0x[0-9a-f]{64}, which this node lacks/.test(reason),
    `A14: it says why it stopped (${reason})`,
  );
  const [height, boundary] = [record.heightOf(peer(lacking)), boundaryOf(record)];
  assert(height === boundary, `A14: it committed height ${height}, and the boundary is ${boundary}`);
  const proposed = [...record.blocks.values()].filter(({ epoch, proposer }) => epoch === 1 && proposer === lacking);
  assert(proposed.length === 0, `A14: it proposed ${proposed.length} blocks of the epoch`);
}
