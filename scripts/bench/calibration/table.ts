/**
 * From measured costs to units.
 *
 * Compute: a transaction without actions is 50 units, and each part what one more of it costs, rounded to 1, 2 or 5 times a power of ten. A
 * measurement on another machine differs by less than such a step.
 *
 * All dimensions: one price has to fit all cases, so the worst of them is as far from the best price as the root of the largest cost per unit
 * over the smallest.
 */
import { UNIT_DIMENSIONS } from '@slipstream/types';
import { COSTS, type Cost, type Measured, type Paired } from './measure.ts';
import { isMeasured } from './paired.ts';

export type Measurements = Readonly<Record<string, Measured>>;

const TRANSACTION_UNITS = 50;
/** Factor between runs: the smaller parts are differences of sums. */
const NOISE = 1.35;
/** Bytes of a value for which setData has one more unit of compute. */
const VALUE_STEPS = 4096 / 256;

/** Units of compute that each part may have: an authority or an action, one output, 256 bytes of a value. Two near the middle of two steps. */
export function computeUnits(computeOf: (name: string) => number): Readonly<Record<string, readonly number[]>> {
  const one = computeOf('transfer');
  const transfer = (computeOf('16 transfers') - one) / 15;
  const bare = one - transfer;
  const small = computeOf('setData of 8 bytes');
  const setData = (computeOf('16 setData of 8 bytes') - small) / 15;
  const device = (computeOf('addDevice to 7') + computeOf('removeDevice of 8')) / 2 - bare;
  const costs = {
    transfer,
    output: (computeOf('transferMany of 100') - computeOf('transferMany of 1')) / 99,
    setData,
    value: ((computeOf('15 setData of 4096 bytes') - bare) / 15 - setData) / VALUE_STEPS,
    addDevice: device,
    removeDevice: device,
    grantSession: (computeOf('7 grantSession') - computeOf('grantSession')) / 6,
    revokeSession: (computeOf('7 revokeSession') - bare) / 7,
    session: computeOf('setData by a credential') - small,
    'session-hash': computeOf('setData by a grant id') - small,
  };
  return Object.fromEntries(
    Object.entries(costs).map(([part, cost]) => [part, stepsOf((cost / bare) * TRANSACTION_UNITS)]),
  );
}

/** Of all measurements within NOISE of this one. */
function stepsOf(units: number): readonly number[] {
  return [...new Set([rounded(units / NOISE), rounded(units * NOISE)])];
}

/** To the nearest of 1, 2, 5, 10, 20 ... by its factor. */
function rounded(units: number): number {
  const steps = Array.from({ length: 5 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
  const farFrom = (step: number) => Math.abs(Math.log(Math.max(1, units) / step));
  return steps.reduce((nearest, step) => (farFrom(step) < farFrom(nearest) ? step : nearest));
}

/** Of a case, cost per unit over that of the best price. Without those that were not measurable, and those without cost. */
export function ratiosOf(measurements: Measurements, name: keyof Cost): ReadonlyMap<string, number> {
  const price = priceOf(measurements, name);
  return new Map(perUnitOf(measurements, name).map(([one, ratio]) => [one, ratio / price]));
}

/** Units that rows would take at the best price of transactions, by case. Without those that were not measurable. */
export function rowUnitsOf(
  rows: Measurements,
  transactions: Measurements,
  name: keyof Cost,
): ReadonlyMap<string, number> {
  const price = priceOf(transactions, name);
  const known = Object.entries(rows).filter(([, one]) => isKnown(one, name));
  return new Map(known.map(([label, { cost }]) => [label, cost[name] / price]));
}

/** Of a unit: as far from the cheapest case as from the dearest. */
function priceOf(measurements: Measurements, name: keyof Cost): number {
  const all = perUnitOf(measurements, name).map(([, cost]) => cost);
  return Math.sqrt(Math.min(...all) * Math.max(...all));
}

const perUnitOf = (measurements: Measurements, name: keyof Cost) =>
  Object.entries(measurements)
    .filter(([, one]) => isKnown(one, name) && (one.cost[name] > 0 || unitsFor(one, name) > 0))
    .map(([label, one]) => [label, one.cost[name] / unitsFor(one, name)] as const);

const unitsFor = ({ units }: Measured, name: keyof Cost): number =>
  units[UNIT_DIMENSIONS.indexOf(name === 'disk' ? 'write' : name)] as number;

function isKnown({ bounds }: Measured, name: keyof Cost): boolean {
  const of = bounds?.[name as Paired];
  return of === undefined || isMeasured(of);
}

/** Cases whose figure says nothing about a factor of two. */
export function unmeasuredOf(measurements: Measurements, name: keyof Cost): readonly string[] {
  return Object.entries(measurements).flatMap(([one, measured]) => (isKnown(measured, name) ? [] : [one]));
}

/** Infinite where no figure was measurable: nothing is proven then. */
export function worstOf(measurements: Measurements, name: keyof Cost): number {
  const ratios = [...ratiosOf(measurements, name).values()];
  return ratios.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ratios);
}

export function worstOfAll(measurements: Measurements): number {
  return Math.max(...COSTS.map((name) => worstOf(measurements, name)));
}
