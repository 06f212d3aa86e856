/**
 * The `application` bench: what applications cost a node that executes blocks (docs/performance/applications.md).
 *
 *   transfer    a call of token.transfer in the executor, in Ed25519 verifications of the same run
 *   ticks       the examples' scripts with and without ticks, in turns
 *   blocks      plain transfers on a chain with the three examples in genesis and on one without, in turns
 *   parallel    calls of 20 us to 2 ms with worker threads and without, in turns
 *   units       calls that spend their time on one thing each, against the compute that their ticks make; units-keep also writes
 *               docs/performance/unit-calibration.json
 *   inputs      random inputs on used and on new realms: --inputs N of each example; exits with 1 at a difference
 *   reload      app dev: from a save to an answer of the new program, on a history of calls
 *
 */
import { readFile, writeFile } from 'node:fs/promises';
import { type Artifact, artifactHash, decodeArtifact, loadProgram } from '@slipstream/app-realm';
import { createApplications } from '@slipstream/execution';
import type { PreparedTransaction } from '@slipstream/types';
import { account } from '../../packages/execution/test/builders.ts';
import { type Example, escrowExample, ordersExample, placeOf, tokenExample } from './application/examples.ts';
import { checkInputs } from './application/inputs.ts';
import { measureParallel, type ParallelSize } from './application/parallel.ts';
import { measureReloads } from './application/reload.ts';
import { callUnitsOf, measureCallUnits, type UnitsSize, worstOfCalls } from './application/units.ts';
import { withoutTicks } from './application/without-ticks.ts';
import { type BenchChain, createBenchChain, prepared } from './application/world.ts';
import type { Measurements } from './calibration/table.ts';
import { processorUs } from './calibration/timing.ts';
import { type BenchOptions, type Claim, claim, median, printTable, quantile } from './claim.ts';
import { verificationUs } from './load/verification.ts';

export const parts = ['transfer', 'ticks', 'blocks', 'parallel', 'units', 'units-keep', 'inputs', 'reload'] as const;

interface Size {
  readonly accounts: number;
  readonly calls: number;
  readonly warmUp: number;
  readonly rounds: number;
  readonly verifications: number;
  readonly inputs: number;
  readonly parallel: ParallelSize;
  readonly units: UnitsSize;
  readonly history: number;
  readonly reloads: number;
}

const FULL: Size = {
  accounts: 4_000,
  calls: 1_000,
  warmUp: 20,
  rounds: 60,
  verifications: 500,
  inputs: 20_000,
  parallel: { calls: 200, warmUp: 5, rounds: 31 },
  units: { calls: 50, warmUp: 20, rounds: 60, verifications: 200 },
  history: 100,
  reloads: 20,
};
const SMOKE: Size = {
  accounts: 100,
  calls: 60,
  warmUp: 2,
  rounds: 4,
  verifications: 20,
  inputs: 200,
  parallel: { calls: 40, warmUp: 1, rounds: 5 },
  units: { calls: 10, warmUp: 1, rounds: 2, verifications: 20 },
  history: 2,
  reloads: 1,
};

export async function run({ smoke, part, inputs, draw }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  const wants = (name: (typeof parts)[number]) => part === undefined || part === name;
  const examples = await Promise.all([
    tokenExample(size.accounts),
    escrowExample(size.accounts),
    ordersExample(size.accounts),
  ]);
  const claims: Claim[] = [];
  if (wants('transfer')) claims.push(...measureTransfer(examples[0], size, draw));
  if (wants('ticks')) claims.push(measureTicks(examples, size, draw));
  if (wants('blocks')) claims.push(measureBlocks(examples, size));
  if (wants('parallel')) claims.push(...(await parallelClaims(size, draw)));
  if (wants('units') || part === 'units-keep') claims.push(await unitsClaim(size, part === 'units-keep' && !smoke));
  if (wants('inputs')) claims.push(compareInputs(examples, inputs ?? size.inputs));
  if (wants('reload')) claims.push(await measureReload(size));
  return claims;
}

function artifactOf({ built }: Example): Artifact {
  const decoded = decodeArtifact(built.artifact);
  if (!decoded.ok) throw decoded.error;
  return decoded.value;
}

function chainOf(
  examples: readonly Example[],
  { accounts }: Size,
  scriptOf = (artifact: Artifact) => artifact.script,
): BenchChain {
  const installed = examples.map((example) => {
    const artifact = artifactOf(example);
    const program = loadProgram({ ...artifact, script: scriptOf(artifact) });
    return { hash: artifactHash(example.built.artifact), program };
  });
  return createBenchChain(
    accounts,
    examples.map(({ listed }) => listed),
    createApplications(installed),
  );
}

/** us of the processor for each transaction, none of which fails. */
function usEach(chain: BenchChain, transactions: readonly PreparedTransaction[]): number {
  const { us, executed } = chain.execute(transactions, processorUs);
  const { failed, transactions: count } = executed.stats;
  if (failed > 0 || count < transactions.length) throw new Error(`${failed} of ${count} transactions failed`);
  return us / count;
}

function plainBlock(round: number, { calls, accounts }: Size): readonly PreparedTransaction[] {
  return Array.from({ length: calls }, (_, i) => {
    const { from, to } = placeOf(round, i, accounts);
    return prepared(from, { kind: 'transfer', to: account(to), amount: 1n });
  });
}

function measureTransfer(token: Example, size: Size, draw: BenchOptions['draw']): Claim[] {
  const chain = chainOf([token], size);
  const [calls, plain, verifications]: [number[], number[], number[]] = [[], [], []];
  for (let round = -size.warmUp; round < size.rounds; round++) {
    const at = round + size.warmUp;
    const verification = verificationUs(size.verifications);
    const call = usEach(chain, token.block(at, size.calls));
    const transfer = usEach(chain, plainBlock(at, size));
    if (round < 0) continue;
    verifications.push(verification);
    calls.push(call);
    plain.push(transfer);
  }
  const inVerifications = calls.map((us, i) => us / (verifications[i] as number));
  const rows = { 'token.transfer': calls, 'plain transfer': plain, 'Ed25519 verification': verifications };
  printTable(
    'a transaction in the executor, us of the processor',
    ['', 'p10', 'p50', 'p90'],
    Object.entries(rows).map(([name, us]) => [name, quantile(us, 0.1), median(us), quantile(us, 0.9)]),
  );
  draw({
    title: 'A transaction in the executor',
    about: 'Median of blocks, beside one Ed25519 verification.',
    unit: 'us',
    kind: 'bars',
    x: { name: 'what', unit: '', values: Object.keys(rows) },
    lines: [{ name: 'processor time', values: Object.values(rows).map(median) }],
  });
  return [
    claim('token_transfer_verifications', median(inVerifications), 'verifications', inVerifications.length),
    claim('token_transfer_us', median(calls), 'us', calls.length),
    claim('plain_transfer_us', median(plain), 'us', plain.length),
  ];
}

/** Of each example the median of paired ratios; the claim is the mean of the examples. */
function measureTicks(examples: readonly Example[], size: Size, draw: BenchOptions['draw']): Claim {
  const shares = examples.map((example) => {
    const metered = chainOf([example], size);
    const bare = chainOf([example], size, ({ script }) => withoutTicks(script).script);
    return median(
      inTurns(size, (round) => {
        const block = example.block(round, size.calls);
        return [() => usEach(metered, block), () => usEach(bare, block)];
      }).map(([withTicks, without]) => 1 - without / withTicks),
    );
  });
  printTable(
    'ticks, of the processor time of executing calls',
    ['application', 'share'],
    examples.map(({ name }, i) => [name, shares[i] as number]),
  );
  draw({
    title: 'Share of ticks',
    about: 'Of the processor time of executing calls.',
    unit: '',
    kind: 'bars',
    x: { name: 'application', unit: '', values: examples.map(({ name }) => name) },
    lines: [{ name: 'share', values: shares }],
  });
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return claim('tick_overhead', mean, 'of 1', examples.length * size.rounds);
}

function measureBlocks(examples: readonly Example[], size: Size): Claim {
  const withThem = chainOf(examples, size);
  const without = chainOf([], size);
  const ratios = inTurns(size, (round) => {
    const block = plainBlock(round, size);
    return [() => usEach(withThem, block), () => usEach(without, block)];
  }).map(([one, other]) => other / one);
  return claim('transfer_throughput_ratio', median(ratios), 'x', ratios.length);
}

const CALIBRATION = new URL('../../docs/performance/unit-calibration.json', import.meta.url);

async function unitsClaim({ units: size }: Size, isKept: boolean): Promise<Claim> {
  const file = JSON.parse(await readFile(CALIBRATION, 'utf8')) as { readonly cases: Measurements };
  const measured = await measureCallUnits(size);
  const units = callUnitsOf(measured, file.cases);
  printTable(
    'units of compute of a call: by its ticks, and as measured at the best price of built-in actions',
    ['call', 'charged', 'taken', 'ratio'],
    units.map(({ name, charged, taken }) => [name, charged, taken, taken / charged]),
  );
  if (isKept) {
    const cases = measured.map((one) => ({ ...one, compute: Number(one.compute.toPrecision(4)) }));
    const calls = { date: new Date().toISOString().slice(0, 10), cases };
    await writeFile(CALIBRATION, `${JSON.stringify({ ...file, calls }, undefined, 2)}\n`);
  }
  return claim('worst_call_unit_ratio', worstOfCalls(units), 'x', measured.length * size.rounds);
}

async function parallelClaims({ parallel }: Size, draw: BenchOptions['draw']): Promise<Claim[]> {
  const { workers, points, inConflict } = await measureParallel(parallel);
  printTable(
    `parallel calls, ${workers} worker threads: time of blocks without them, divided by that with them`,
    ['us an action', 'measured', 'ratio'],
    points.map(({ us, measuredUs, ratio }) => [String(us), measuredUs, ratio]),
  );
  draw({
    title: 'Parallel calls',
    about: `Blocks on one thread, divided by blocks with ${workers} more.`,
    unit: 'x',
    kind: 'lines',
    x: { name: 'length of an action', unit: 'us', values: points.map(({ us }) => us) },
    lines: [{ name: 'ratio', values: points.map(({ ratio }) => ratio) }],
  });
  const { rounds } = parallel;
  return [
    ...points.map(({ us, ratio }) => claim(`parallel_ratio_${us}us`, ratio, 'x', rounds)),
    claim('parallel_ratio_conflicts', inConflict, 'x', rounds),
    claim('parallel_workers', workers, 'threads', rounds),
  ];
}

/** Pairs of the same work, by turns first, since the second finds warmer caches. */
function inTurns(
  { warmUp, rounds }: Size,
  pairOf: (round: number) => readonly [() => number, () => number],
): readonly (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < warmUp + rounds; round++) {
    const [one, other] = pairOf(round);
    const isFirst = round % 2 === 0;
    const before = isFirst ? one() : undefined;
    const second = other();
    const pair = [before ?? one(), second] as const;
    if (round >= warmUp) pairs.push(pair);
  }
  return pairs;
}

async function measureReload({ history, reloads }: Size): Promise<Claim> {
  const took = await measureReloads({ calls: history, reloads });
  printTable(
    `app dev: from a save to an answer, on ${history} calls, ms`,
    ['', 'p50', 'p90'],
    [['reload', median(took), quantile(took, 0.9)]],
  );
  return claim('dev_reload_ms', median(took), 'ms', took.length);
}

function compareInputs(examples: readonly Example[], count: number): Claim {
  const checked = examples.map((example) => checkInputs(example, count));
  printTable(
    'inputs on a used realm and on new ones: equal writes, receipts and ticks',
    ['application', 'inputs', 'calls that succeeded'],
    examples.map(({ name }, i) => [name, checked[i]?.inputs ?? 0, checked[i]?.succeeded ?? 0]),
  );
  return claim('equal_inputs', examples.length * count, 'inputs', examples.length * count);
}
