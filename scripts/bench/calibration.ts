/**
 * The `calibration` bench: what each action and authority costs, against its fee units. No source measured this.
 *
 * calibration/measure.ts says what is measured in each dimension. A dimension has one price, which moves with demand, so what counts is cost
 * per unit of a case against that of the others. `worst_unit_ratio` is the largest factor between a case's cost and the best price of its
 * dimension; write has two costs, time and bytes on disk, and has to fit both.
 *
 * `npm run bench -- calibration:keep` also writes docs/performance/unit-calibration.json, from which a test derives the units of compute.
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
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
import { type Measurements, ratiosOf, unmeasuredOf, worstOf, worstOfAll } from './calibration/table.ts';
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
};
const SMOKE: Size = { rounds: 1, warmUp: 0, transactions: 8, timed: 8, repeats: 2, pairs: 2, few: 1000, many: 2000 };
const FILE = new URL('../../docs/performance/unit-calibration.json', import.meta.url);
const TIMES: ReadonlySet<keyof Cost> = new Set(['compute', 'read', 'write']);
/** Per round: another process seldom interrupts all. */
const CHECKS = 100;

export const parts = ['keep'];

export async function run({ smoke, part, draw }: BenchOptions): Promise<Claim[]> {
  const size = smoke ? SMOKE : FULL;
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
  if (part === 'keep' && !smoke) await keep(measured);
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
  return Object.fromEntries([...rounds].map(([name, all]) => [name, inVerifications(costOf(all), checkUs)]));
}

/** Each transaction has one. */
function inVerifications({ cost, bounds, units }: Measured, checkUs: number): Measured {
  const all = { ...cost, compute: cost.compute + checkUs };
  const boundsOf = (name: Paired) => ({
    low: (bounds?.[name].low as number) / checkUs,
    high: (bounds?.[name].high as number) / checkUs,
  });
  const scaled = COSTS.map((name) => [name, TIMES.has(name) ? all[name] / checkUs : all[name]]);
  return {
    cost: Object.fromEntries(scaled) as unknown as Cost,
    bounds: { read: boundsOf('read'), write: boundsOf('write') },
    units,
  };
}

async function keep(measured: Measurements): Promise<void> {
  const rounded = Object.entries(measured).map(([name, { cost, bounds, units }]) => {
    const short = (all: object) =>
      Object.fromEntries(Object.entries(all).map(([each, value]) => [each, Number(value.toPrecision(4))]));
    const { read, write } = bounds as NonNullable<Measured['bounds']>;
    return [name, { cost: short(cost), bounds: { read: short(read), write: short(write) }, units }];
  });
  const content = {
    about:
      'Costs of a transaction: compute, read and write in Ed25519 verifications, the rest in bytes; and the units charged. See decision 0048.',
    date: new Date().toISOString().slice(0, 10),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    cases: Object.fromEntries(rounded),
  };
  await writeFile(FILE, `${JSON.stringify(content, undefined, 2)}\n`);
}
