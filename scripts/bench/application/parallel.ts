/**
 * Parallel calls: blocks of calls of a chosen length on a chain with worker threads, and on one without, in turns.
 *
 * What counts is time, not the processor's: other cores do the work. Equal receipts are checked for each block.
 */
import { availableParallelism } from 'node:os';
import { artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { createApplications, createParallelCalls } from '@slipstream/execution';
import { createClock } from '@slipstream/platform';
import { silentTelemetry } from '@slipstream/ports';
import { bytesEqual } from '@slipstream/primitives';
import { type CallPool, createCallPool } from '../../../apps/node/src/parallel/call-pool.ts';
import { builtApplication, type TestApplication } from '../../../packages/execution/test/application-builders.ts';
import { median } from '../claim.ts';
import { type BenchChain, createBenchChain, prepared } from './world.ts';

export interface ParallelSize {
  readonly calls: number;
  readonly warmUp: number;
  readonly rounds: number;
}

export interface ParallelCurve {
  readonly workers: number;
  /** By length of an action. */
  readonly points: readonly CurvePoint[];
  /** All calls of 200 us write one entry. */
  readonly inConflict: number;
}

interface CurvePoint {
  readonly us: number;
  /** Of one call, as measured without workers. */
  readonly measuredUs: number;
  /** Time without workers, divided by time with them. */
  readonly ratio: number;
}

const LENGTHS_US = [20, 50, 100, 200, 500, 1_000, 2_000];
const CONFLICT_US = 200;
const SENDERS = 100;
const TURNS_TRIED = 2_000;

type SpinnerAction = 'alone' | 'together';

export async function measureParallel(size: ParallelSize): Promise<ParallelCurve> {
  const source = new URL('../../../packages/execution/test/applications/spinner.ts', import.meta.url);
  const spinner = await builtApplication(source);
  // The executor is one more thread.
  const workers = Math.max(1, availableParallelism() - 1);
  const pool = createCallPool({ clock: createClock(), telemetry: silentTelemetry }, workers);
  pool.add(spinner.artifact);
  try {
    await ready(pool, workers);
    const turnsOfUs = turnsPerUs(spinner, size);
    const point = (us: number, action: SpinnerAction) => compare({ spinner, pool, size }, action, us * turnsOfUs, us);
    const points = LENGTHS_US.map((us) => point(us, 'alone'));
    return { workers, points, inConflict: point(CONFLICT_US, 'together').ratio };
  } finally {
    await pool.stop();
  }
}

const READY_MS_MAX = 60_000;

async function ready(pool: CallPool, workers: number): Promise<void> {
  const beginMs = performance.now();
  while (pool.count < workers) {
    if (performance.now() - beginMs > READY_MS_MAX) throw new Error('the threads for parallel calls do not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function chainOf({ artifact, inGenesis }: TestApplication, pool?: CallPool): BenchChain {
  const decoded = decodeArtifact(artifact);
  if (!decoded.ok) throw decoded.error;
  const installed = [{ hash: artifactHash(artifact), program: loadProgram(decoded.value) }];
  const applications = createApplications(installed);
  return createBenchChain(SENDERS, [inGenesis({})], applications, pool && createParallelCalls(pool));
}

const nowUs = (): number => 1_000 * performance.now();

function blockOf(spinner: TestApplication, action: SpinnerAction, calls: number, turns: number) {
  return Array.from({ length: calls }, (_, i) =>
    prepared(1 + (i % SENDERS), spinner.call(action, { at: i + 1, turns: Math.round(turns) })),
  );
}

/** By the length of a block's call beyond one without turns. */
function turnsPerUs(spinner: TestApplication, { calls, warmUp, rounds }: ParallelSize): number {
  const chain = chainOf(spinner);
  const usOf = (turns: number) => {
    const times: number[] = [];
    for (let round = 0; round < warmUp + rounds; round++)
      times.push(chain.execute(blockOf(spinner, 'alone', calls, turns), nowUs).us / calls);
    return median(times.slice(warmUp));
  };
  const [none, many] = [usOf(0), usOf(TURNS_TRIED)];
  return TURNS_TRIED / (many - none);
}

interface Compared {
  readonly spinner: TestApplication;
  readonly pool: CallPool;
  readonly size: ParallelSize;
}

function compare(
  { spinner, pool, size: { calls, warmUp, rounds } }: Compared,
  action: SpinnerAction,
  turns: number,
  us: number,
): CurvePoint {
  const [withThem, without] = [chainOf(spinner, pool), chainOf(spinner)];
  const [ratios, alone]: [number[], number[]] = [[], []];
  for (let round = 0; round < warmUp + rounds; round++) {
    const block = blockOf(spinner, action, calls, turns);
    const order = round % 2 === 0 ? [withThem, without] : [without, withThem];
    const measured = new Map(order.map((chain) => [chain, chain.execute(block, nowUs)]));
    const [one, other] = [measured.get(withThem), measured.get(without)];
    if (one === undefined || other === undefined) throw new Error('both chains ran the block');
    if (!bytesEqual(one.executed.batch.bytes, other.executed.batch.bytes) || other.executed.stats.failed > 0)
      throw new Error('a block differs with workers, or has calls that failed');
    if (round < warmUp) continue;
    ratios.push(other.us / one.us);
    alone.push(other.us / calls);
  }
  return { us, measuredUs: median(alone), ratio: median(ratios) };
}
