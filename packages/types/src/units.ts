/** Fee units in five dimensions (dissemination.md, "Fees"). */
export const UNIT_DIMENSIONS = ['bandwidth', 'compute', 'read', 'allocate', 'write'] as const;
export type UnitDimension = (typeof UNIT_DIMENSIONS)[number];

/** Integers from 0 below 2^53, by UNIT_DIMENSIONS. */
export type Units = readonly number[];

export const NO_UNITS: Units = [0, 0, 0, 0, 0];

/** Without destructuring: runs several times per transaction. */
export function addUnits(a: Units, b: Units): Units {
  return [at(a, 0) + at(b, 0), at(a, 1) + at(b, 1), at(a, 2) + at(b, 2), at(a, 3) + at(b, 3), at(a, 4) + at(b, 4)];
}

function at(units: Units, dimension: number): number {
  return units[dimension] as number;
}

/** In place. */
export function addToUnits(sum: number[], units: Units): void {
  for (let i = 0; i < UNIT_DIMENSIONS.length; i++) sum[i] = (sum[i] as number) + (units[i] as number);
}
