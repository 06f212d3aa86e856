/**
 * The `calibration` bench: what each action and authority costs, against its fee units. No source measured this.
 *
 * calibration/measure.ts says what is measured in each dimension. A dimension has one price, which moves with demand, so what counts is cost
 * per unit of a case against that of the others. `worst_unit_ratio` is the largest factor between a case's cost and the best price of its
 * dimension; write has two costs, time and bytes on disk, and has to fit both.
 *
 * Rows of distilled batches (calibration/rows.ts) have no part in that price: printed is what they take of it, beside ROW_UNITS.
 *
 * `npm run bench -- calibration:keep` also writes docs/performance/unit-calibration.json, from which a test derives the units of compute;
 * `calibration:rows` measures rows alone, against the transactions of that file, and writes its rows.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { print } from '../print.ts';
import { ACCOUNT_CASES, CASES } from './calibration/cases.ts';
import { governanceCases, governanceTransaction } from './calibration/governance.ts';
import { createGovernanceChain, VALIDATORS } from './calibration/governance-chain.ts';
import {
  COSTS,
  type Cost,
  costOf,
  type Effort,
  type Measured,
  measure,
  measureRound,
  measureVerification,
  PAIRED,
  type Paired,
  type Round,
} from './calibration/measure.ts';
import { isMeasured } from './calibration/paired.ts';
import { measureRows, ROW_CASES } from './calibration/rows.ts';
import { createRowsChain, type RowsSize } from './calibration/rows-chain.ts';
import { type Measurements, ratiosOf, rowUnitsOf, unmeasuredOf, worstOf, worstOfAll } from './calibration/table.ts';
import { openWire } from './calibration/wire.ts';
import { createWorld } from './calibration/world.ts';
import { type BenchOptions, type Claim, claim, printTable } from './claim.ts';

interface Size extends Effort {
  readonly rounds: number;
  /** Rounds before, until the code is compiled. */
  readonly warmUp: number;
  /** Accounts in the states. */
  readonly few: number;
  readonly many: number;
  readonly rows: RowsSize;
}

const FULL: Size = {
  rounds: 6,
  warmUp: 1,
  transactions: 512,
  timed: 64,
  repeats: 10,
  pairs: 5,
  few: 20_000,
  many: 200_000,
  rows: { accounts: 100_000, senders: 4_001 },
};
const SMOKE: Size = {
  rounds: 1,
  warmUp: 0,
  transactions: 8,
  timed: 8,
  repeats: 2,
  pairs: 2,
  few: 1000,
  many: 2000,
  rows: { accounts: 1000, senders: 41 },
};
const FILE = new URL('../../docs/performance/unit-calibration.json', import.meta.url);
const TIMES: ReadonlySet<keyof Cost> = new Set(['compute', 'read', 'write']);
/** Per round: another process seldom interrupts all. */
const CHECKS = 100;

export const parts = ['keep', 'rows'];

export async function run({ smoke, part, draw }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
  if (part === 'rows') return [await runRows(size, smoke)];
  const measured = await measureAll(size);
  const names = Object.keys(measured);
  const ratios = COSTS.map((name) => ratiosOf(measured, name));
  printTable(
    'Cost per unit of a case, over the best price of its dimension',
    ['case', ...COSTS],
    names.map((one) => [one, ...ratios.map((each) => each.get(one) ?? '')]),
  );
  printTable(
    'Bounds of what was measured in pairs, over its median: 95 % confidence',
    ['case', ...PAIRED],
    names.map((one) => [one, ...PAIRED.map((name) => spreadOf(measured[one] as Measured, name))]),
  );
  const rows = await measureAllRows(size);
  printRowUnits(rows, measured);
  if (part === 'keep' && !smoke) await keep({ cases: measured, rows });
  draw({
    title: 'Measured cost against fee units, by action',
    about: 'Cost per unit over the best price of its dimension: 1 is a perfect price, and 0.5 to 2 the goal.',
    unit: 'of the best price',
    kind: 'bars',
    x: { name: 'transaction', unit: '', values: names },
    lines: COSTS.map((name, i) => ({ name, values: names.map((one) => ratios[i]?.get(one)) })),
  });
  const samples = size.rounds * names.length;
  const unmeasured = COSTS.reduce((sum, name) => sum + unmeasuredOf(measured, name).length, 0);
  return [
    claim('worst_unit_ratio', worstOfAll(measured), 'x', samples),
    ...COSTS.map((name) => claim(`worst_${name}_ratio`, worstOf(measured, name), 'x', samples)),
    claim('unmeasurable_figures', unmeasured, '', samples),
  ];
}

/** Printed with each case, since none may disappear silently. */
function spreadOf({ cost, bounds }: Measured, name: Paired): string {
  if (bounds === undefined) return 'not measured';
  const { low, high } = bounds[name];
  const of = (value: number) => (value / cost[name]).toFixed(2);
  return isMeasured({ low, high }) ? `${of(low)} to ${of(high)}` : 'not measurable';
}

/** Round by round through all cases, so that a busy minute spoils no case wholly. Times in verifications of an Ed25519 signature. */
async function measureAll(size: Size): Promise<Measurements> {
  const wire = await openWire();
  const many = await createWorld({ accounts: size.many });
  const few = await createWorld({ accounts: size.few });
  const places = [
    ...CASES.map((one) => ({ one, world: many, name: one.name })),
    ...CASES.filter(({ name }) => ACCOUNT_CASES.has(name)).map((one) => ({
      one,
      world: few,
      name: `${one.name}, few accounts`,
    })),
  ];
  const governed = createGovernanceChain();
  const governing = (await governanceCases(governed)).map((one) => {
    const count = Math.min(one.count ?? VALIDATORS, size.transactions);
    return { one, transactions: Array.from({ length: count }, (_, i) => governanceTransaction(governed, one, i)) };
  });
  const rounds = new Map<string, Round[]>(
    [...places, ...governing.map(({ one }) => one)].map(({ name }) => [name, []]),
  );
  let checkUs = Number.POSITIVE_INFINITY;
  for (let round = 1 - size.warmUp; round <= size.rounds; round++) {
    for (const { name, world, one } of places) {
      checkUs = Math.min(checkUs, measureVerification(CHECKS));
      const measured = await measureRound(world, wire, one, size);
      if (round > 0) rounds.get(name)?.push(measured);
    }
    for (const { one, transactions } of governing) {
      checkUs = Math.min(checkUs, measureVerification(CHECKS));
      const stage = await governed.open(one.arrange ?? (() => {}));
      const measured = await measure(stage, wire, transactions, size);
      if (round > 0) rounds.get(one.name)?.push(measured);
      await stage.close();
    }
  }
  await Promise.all([many.close(), few.close(), wire.close()]);
  print(`one verification: ${checkUs.toFixed(1)} us`);
  return Object.fromEntries(
    [...rounds].map(([name, all]) => [name, inVerifications(withSignature(costOf(all), checkUs), checkUs)]),
  );
}

/** Of rows alone. */
async function runRows(size: Size, smoke: boolean): Promise<Claim> {
  const { cases } = JSON.parse(await readFile(FILE, 'utf8')) as { readonly cases: Measurements };
  const rows = await measureAllRows(size);
  printRowUnits(rows, cases);
  if (!smoke) await keep({ rows });
  const unmeasured = COSTS.reduce((sum, name) => sum + unmeasuredOf(rows, name).length, 0);
  return claim('unmeasurable_figures', unmeasured, '', size.rounds * ROW_CASES.length);
}

function printRowUnits(rows: Measurements, transactions: Measurements): void {
  const units = COSTS.map((name) => rowUnitsOf(rows, transactions, name));
  printTable(
    'Units of a row at the best price of transactions',
    ['case', ...COSTS],
    Object.keys(rows).map((one) => [one, ...units.map((each) => each.get(one) ?? 'not measurable')]),
  );
}

async function measureAllRows(size: Size): Promise<Measurements> {
  const wire = await openWire();
  const chain = await createRowsChain(size.rows);
  const rounds = new Map<string, Round[]>(ROW_CASES.map(({ name }) => [name, []]));
  let checkUs = Number.POSITIVE_INFINITY;
  for (let round = 1 - size.warmUp; round <= size.rounds; round++) {
    for (const one of ROW_CASES) {
      checkUs = Math.min(checkUs, measureVerification(CHECKS));
      const measured = await measureRows(chain, wire, one, size);
      if (round > 0) rounds.get(one.name)?.push(measured);
    }
  }
  await Promise.all([chain.close(), wire.close()]);
  print(`one verification: ${checkUs.toFixed(1)} us`);
  return Object.fromEntries([...rounds].map(([name, all]) => [name, inVerifications(costOf(all), checkUs)]));
}

/** Each has a signature, which was measured apart. */
function withSignature({ cost, ...measured }: Measured, checkUs: number): Measured {
  return { ...measured, cost: { ...cost, compute: cost.compute + checkUs } };
}

function inVerifications({ cost, bounds, units }: Measured, checkUs: number): Measured {
  const boundsOf = (name: Paired) => ({
    low: (bounds?.[name].low as number) / checkUs,
    high: (bounds?.[name].high as number) / checkUs,
  });
  const scaled = COSTS.map((name) => [name, TIMES.has(name) ? cost[name] / checkUs : cost[name]]);
  return {
    cost: Object.fromEntries(scaled) as unknown as Cost,
    bounds: { read: boundsOf('read'), write: boundsOf('write') },
    units,
  };
}

interface Kept {
  readonly cases?: Measurements;
  readonly rows: Measurements;
}

/** Rows alone, where they were measured alone. */
async function keep({ cases, rows }: Kept): Promise<void> {
  const before = JSON.parse(await readFile(FILE, 'utf8')) as object;
  const taken = {
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  };
  const content = {
    ...before,
    about:
      'Costs of a transaction, and of a row of a distilled batch: compute, read and write in Ed25519 verifications, the rest in bytes; and the units charged. See decision 0048.',
    ...(cases && { ...taken, cases: rounded(cases) }),
    rows: { ...taken, cases: rounded(rows) },
  };
  await writeFile(FILE, `${JSON.stringify(content, undefined, 2)}\n`);
}

function rounded(measured: Measurements): Measurements {
  const short = <T extends object>(all: T) =>
    Object.fromEntries(Object.entries(all).map(([each, value]) => [each, Number(value.toPrecision(4))])) as T;
  return Object.fromEntries(
    Object.entries(measured).map(([name, { cost, bounds, units }]) => {
      const { read, write } = bounds as NonNullable<Measured['bounds']>;
      return [name, { cost: short(cost), bounds: { read: short(read), write: short(write) }, units }];
    }),
  );
}
