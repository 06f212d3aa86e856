/**
 * Units of calls: the processor's time of calls that spend it on one thing each, against the compute that their ticks and input make.
 *
 * A call pays for what its action declares, which its author takes from the ticks that tests show. So a unit of compute is right where a call's time, less
 * that of a transaction without one, is what its ticks cost at the price of built-in actions (docs/performance/unit-calibration.json).
 */
import { artifactHash, decodeArtifact, loadProgram, TICKS_MAX, TICKS_PER_UNIT } from '@slipstream/app-realm';
import { createApplications } from '@slipstream/execution';
import { accountKeyText, callCompute, limitsOfCall, type PreparedTransaction } from '@slipstream/types';
import { builtApplication } from '../../../packages/execution/test/application-builders.ts';
import { account } from '../../../packages/execution/test/builders.ts';
import { type Measurements, rowUnitsOf } from '../calibration/table.ts';
import { processorUs } from '../calibration/timing.ts';
import { verificationUs } from '../load/verification.ts';
import { createBenchChain, prepared } from './world.ts';

export interface CallMeasured {
  readonly name: string;
  /** Of one call. */
  readonly ticks: number;
  readonly inputBytes: number;
  /** Less that of a transaction whose call no application answers, in verifications. */
  readonly compute: number;
}

export interface UnitsSize {
  readonly calls: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly verifications: number;
}

interface CallCase {
  readonly name: string;
  readonly action: string;
  /** `place` differs from call to call. */
  readonly input: (place: number) => unknown;
}

const SENDERS = 100;
/** Places of two calls have no common entry. */
const STEP = 32;

export const CALL_CASES: readonly CallCase[] = [
  { name: 'nothing', action: 'nothing', input: () => ({}) },
  { name: 'a loop of 1,000', action: 'loop', input: () => ({ turns: 1_000 }) },
  { name: 'a loop of 100,000', action: 'loop', input: () => ({ turns: 100_000 }) },
  { name: '1 read', action: 'read', input: (from) => ({ from, count: 1 }) },
  { name: '20 reads', action: 'read', input: (from) => ({ from, count: 20 }) },
  { name: '1 write', action: 'write', input: (from) => ({ from, count: 1 }) },
  { name: '20 writes', action: 'write', input: (from) => ({ from, count: 20 }) },
  { name: '8 declared keys', action: 'declared', input: (from) => ({ from }) },
  { name: 'input of 6,000 bytes', action: 'swallow', input: () => ({ data: `0x${'07'.repeat(6_000)}` }) },
  { name: 'input of 100 accounts', action: 'people', input: (i) => ({ all: accounts(100, i) }) },
  { name: 'event of 1,024 bytes', action: 'note', input: () => ({ size: 1_024 }) },
  { name: 'value of 4,096 bytes', action: 'store', input: (at) => ({ at, size: 4_096 }) },
];

const accounts = (count: number, first: number) =>
  Array.from({ length: count }, (_, i) => accountKeyText(account(1 + ((first + i) % SENDERS))));

export async function measureCallUnits(size: UnitsSize): Promise<readonly CallMeasured[]> {
  const source = new URL('../../../packages/execution/test/applications/costly.ts', import.meta.url);
  const costly = await builtApplication(source);
  const decoded = decodeArtifact(costly.artifact);
  if (!decoded.ok) throw decoded.error;
  const program = loadProgram(decoded.value);
  const applications = createApplications([{ hash: artifactHash(costly.artifact), program }]);
  const chain = createBenchChain(SENDERS, [costly.inGenesis({})], applications);

  const blockOf = (make: (place: number) => ReturnType<typeof costly.call>, calls: number) =>
    Array.from({ length: calls }, (_, i) => prepared(1 + (i % SENDERS), make(STEP * (1 + i))));
  const usEach = (block: readonly PreparedTransaction[]): number => chain.execute(block, processorUs).us / block.length;
  const usageOf = ({ action, input }: CallCase): Pick<CallMeasured, 'ticks' | 'inputBytes'> => {
    const units = costly.manifest.actions.find(({ name }) => name === action)?.units;
    const call = costly.call(action, input(0));
    if (units === undefined || call.kind !== 'call') throw new Error(`${action} is an action of the application`);
    const { stats } = chain.execute([prepared(1, call)], () => 0).executed;
    if (stats.failed > 0 || stats.transactions === 0) throw new Error(`${action} failed`);
    const { compute } = limitsOfCall(units, call.input.length);
    const ticks = Math.min(TICKS_MAX, compute * TICKS_PER_UNIT) - program.ticksLeft();
    return { ticks, inputBytes: call.input.length };
  };

  const usage = CALL_CASES.map(usageOf);
  /** Of each case, of calls that no code answers, and of those that run. The least of each: differences of a round are noise. */
  const least = CALL_CASES.map(() => ({ without: Number.POSITIVE_INFINITY, running: Number.POSITIVE_INFINITY }));
  let verification = Number.POSITIVE_INFINITY;
  for (let round = -size.warmUp; round < size.rounds; round++) {
    const check = verificationUs(size.verifications);
    for (const [i, { action, input }] of CALL_CASES.entries()) {
      // An action that no manifest has: the same bytes, and no code runs.
      const unanswered = (place: number) => ({ ...costly.call(action, input(place)), action: 65_535 });
      const without = usEach(blockOf(unanswered, size.calls));
      const running = usEach(blockOf((place) => costly.call(action, input(place)), size.calls));
      const known = least[i] as (typeof least)[number];
      if (round < 0) continue;
      known.without = Math.min(known.without, without);
      known.running = Math.min(known.running, running);
    }
    verification = Math.min(verification, check);
  }
  return CALL_CASES.map(({ name }, i) => {
    const { running, without } = least[i] as (typeof least)[number];
    return { name, ...(usage[i] as (typeof usage)[number]), compute: (running - without) / verification };
  });
}

export interface CallUnits {
  readonly name: string;
  /** By its ticks and its input. */
  readonly charged: number;
  /** At the best price of built-in actions. */
  readonly taken: number;
}

export function callUnitsOf(calls: readonly CallMeasured[], cases: Measurements): readonly CallUnits[] {
  const measured = calls.map(({ name, compute }) => {
    const cost = { bandwidth: 0, compute, read: 0, allocate: 0, write: 0, disk: 0 };
    return [name, { cost, bounds: undefined, units: [] }] as const;
  });
  const taken = rowUnitsOf(Object.fromEntries(measured) as unknown as Measurements, cases, 'compute');
  return calls.map(({ name, ticks, inputBytes }) => ({
    name,
    charged: callCompute(ticks / TICKS_PER_UNIT, inputBytes),
    taken: taken.get(name) as number,
  }));
}

/** A tenth of a transaction without actions: less is neither measured well nor worth a price of its own. */
export const SMALL_UNITS = 5;

/** The largest factor between the two, in either direction, of calls that take more than SMALL_UNITS. */
export function worstOfCalls(units: readonly CallUnits[]): number {
  const large = units.filter(({ taken }) => taken > SMALL_UNITS);
  return Math.max(...large.map(({ charged, taken }) => Math.max(charged / taken, taken / charged)));
}
