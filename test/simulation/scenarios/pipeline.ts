/** Rules P1 to P6, V1 to V4 during the run; at the end every disk against a node's with only the final chain. */
import { assert, toHex } from '@slipstream/primitives';
import { CRASH_MODES, createRandom } from '@slipstream/simulator';
import { hexOf } from '@slipstream/types';
import { pickLiars } from '../attackers/attack-scenario.ts';
import { corrupted } from '../attackers/corrupted.ts';
import type { SimulatedCalls } from '../harness/calls/simulated-calls.ts';
import type { Cluster } from '../harness/cluster.ts';
import { CHUNK_INDEX, type ExecutingOptions, openFiles, openState } from '../harness/executing.ts';
import { createReference, logsOf } from '../harness/reference.ts';
import { startValidator } from '../harness/validator.ts';
import type { Scenario, Stage } from '../scenario.ts';
import { twoFaced } from './equivocator.ts';

const NOTHING = new Uint8Array(0);
const PLAIN: ExecutingOptions = { mode: 'parallel', executeMsMax: 20 };

/** Against a node that executes the final chain, which checks the applications after each block. */
async function compareDisks(
  cluster: Cluster,
  { random }: Pick<Stage, 'random'>,
  among = cluster.honest,
): Promise<void> {
  const { chain, executions, node, peer, until } = cluster;
  for (const member of cluster.members) node(member).crash(random.pick(CRASH_MODES));
  const found: { member: number; height: number; checksum: string }[] = [];
  const opening = among.map(async (member) => {
    const store = await openState(node(member).disk.mount(), chain);
    assert((await store.verify()).faults.length === 0, 'V3: all checksums hold');
    const height = heightOf(cluster, store.tip.block);
    const checksum = toHex(store.tip.checksum);
    await store.close();
    await findChunks(cluster, member, height);
    found.push({ member, height, checksum });
  });
  const opened = Promise.all(opening);
  let failure: unknown;
  opened.catch((error: unknown) => {
    failure = error;
  });
  await until('all stores are open', () => failure !== undefined || found.length === among.length, 60_000);
  await opened;
  const reference = await createReference(chain, executions);
  for (const { member, height, checksum } of found.sort((a, b) => a.height - b.height)) {
    const committed = executions.committedHeightOf(peer(member));
    assert(height >= committed, `V2: ${member} holds height ${height} and had committed ${committed}`);
    const expected = await reference.at(height);
    assert(checksum === expected.checksum, `P2: ${member} holds another state at height ${height}`);
    const logs = logsOf(node(member).disk);
    const same =
      [...expected.logs].every(([name, bytes]) => logs.get(name) === bytes) && logs.size === expected.logs.size;
    assert(same, `V1, P3: ${member} has other log files at height ${height}`);
  }
  assert(executions.violations.length === 0, executions.violations.join('; '));
}

/** After a power cut a node's files have all chunks up to this height. */
async function findChunks({ chain, executions, node }: Cluster, member: number, height: number): Promise<void> {
  const { disk, store } = node(member);
  const random = createRandom('opened after the run');
  const files = await openFiles({ disk: disk.mount(), index: store(CHUNK_INDEX).mount(), random, chain });
  for (let at = 1; at <= height; at++) {
    for (const { chunkId } of executions.finals.get(at)?.block.payload ?? []) {
      const found = await files.get(chunkId);
      const isRight = found !== undefined && toHex(found) === toHex(executions.chunks.get(hexOf(chunkId)) ?? NOTHING);
      assert(isRight, `P6: ${member} has the state of height ${height}, and lacks a chunk of ${at}`);
    }
  }
  await files.close();
}

/** 0 for genesis. */
function heightOf({ chain, executions }: Cluster, block: string): number {
  if (block === toHex(chain.genesisId)) return 0;
  for (const [height, { blockId }] of executions.finals) if (toHex(blockId) === block) return height;
  throw new Error(`P1: the state after ${block.slice(0, 8)} is on a disk, which is not final`);
}

export const pipelineCrashes: Scenario = {
  name: 'pipeline-crashes',
  about:
    'Power cuts of one node or of all amid execution, appends, commits and compactions; some nodes execute sequentially.',
  play: (stage) => playCrashes(stage, { rounds: 5 }),
};

export const pipelineEquivocators: Scenario = {
  name: 'pipeline-equivocators',
  about:
    'Lying leaders send two blocks per view, optimistic and normal ones: executed and appended rivals leave no trace.',
  play: (stage) => playRivals(stage),
};

export const pipelineLagging: Scenario = {
  name: 'pipeline-lagging',
  about: 'One node executes far slower than blocks arrive and is restarted behind: it commits the same states, later.',
  play: (stage) => playLag(stage),
};

export const pipelineDiverging: Scenario = {
  name: 'pipeline-diverging',
  about:
    'P4: one node executes otherwise than all others: it stops itself, commits no such block, and the others finalize blocks.',
  async play(stage) {
    const { size, turns, random, cluster: make } = stage;
    const diverging = random.below(size);
    const divergesFrom = 3 + random.below(10);
    const cluster = make({
      byzantine: new Map([[diverging, startValidator]]),
      execution: (member) => (member === diverging ? { ...PLAIN, divergesFrom } : PLAIN),
    });
    const { start, progress, until, node, honest } = cluster;
    start();
    await until('it stops', () => node(diverging).exitReason !== undefined, 60_000);
    assert(node(diverging).exitReason?.startsWith('diverged'), `it says why (${node(diverging).exitReason})`);
    const calls = node(diverging).disk.callsMade;
    await progress(turns(2), 60_000, honest);
    assert(node(diverging).disk.callsMade === calls, 'P4: nothing on its disk is touched any more');
    await compareDisks(cluster, stage, cluster.members);
  },
};

/** Of an application that each node executes. */
interface OfApplication {
  readonly calls?: SimulatedCalls;
  /** Of a member. Default: all calls run in order. */
  readonly workersOf?: (member: number) => ExecutingOptions['workers'];
}

interface Crashes extends OfApplication {
  readonly rounds: number;
}

const withWorkers = (options: ExecutingOptions, workers: ExecutingOptions['workers']): ExecutingOptions => ({
  ...options,
  ...(workers && { workers }),
});

export async function playCrashes(stage: Stage, { rounds, calls, workersOf }: Crashes): Promise<void> {
  const { size, turns, random, cluster: make } = stage;
  const sequential = random.below(size);
  const cluster = make({
    ...(calls && { calls }),
    execution: (member) =>
      withWorkers({ ...PLAIN, mode: member === sequential ? 'sequential' : 'parallel' }, workersOf?.(member)),
  });
  const { start, run, progress, healed, members, restart } = cluster;
  start();
  for (let round = 0; round < rounds; round++) {
    await progress(1 + random.below(8), 20_000);
    await run(random.below(150));
    const victims = random.chance(0.3) ? members : [random.pick(members)];
    for (const victim of victims) restart(victim, random.pick(CRASH_MODES));
  }
  await healed();
  await progress(turns(2), 30_000);
  await compareDisks(cluster, stage);
}

export async function playRivals(stage: Stage, { calls, workersOf }: OfApplication = {}): Promise<void> {
  const { size, turns, random, cluster: make } = stage;
  const liars = pickLiars(stage, undefined);
  const byzantine = new Map(
    liars.map((liar) => [liar, corrupted((of) => twoFaced(of, ['optimistic', 'normal'], size))]),
  );
  const execution = (member: number) => withWorkers(PLAIN, workersOf?.(member));
  const cluster = make({ ...(calls && { calls }), byzantine, execution });
  const { start, progress, honest, restart } = cluster;
  start();
  await progress(turns(3), 120_000, honest);
  restart(random.pick(honest), random.pick(CRASH_MODES));
  await progress(turns(2), 120_000, honest);
  await compareDisks(cluster, stage);
}

export async function playLag(stage: Stage, { calls }: OfApplication = {}): Promise<void> {
  const { size, turns, random, cluster: make } = stage;
  const lagging = random.below(size);
  const cluster = make({
    ...(calls && { calls }),
    execution: (member) => ({ ...PLAIN, executeMsMax: member === lagging ? 400 : 20 }),
  });
  const { start, progress, until, restart, executions, peer } = cluster;
  start();
  await progress(20, 60_000);
  restart(lagging, random.pick(CRASH_MODES));
  await progress(turns(2), 60_000);
  await until('it commits', () => executions.committedHeightOf(peer(lagging)) >= 20, 60_000);
  await compareDisks(cluster, stage);
}
