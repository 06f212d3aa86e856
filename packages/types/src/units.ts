/** Fee units in five dimensions (dissemination.md, "Fees"). */
export const UNIT_DIMENSIONS = ['bandwidth', 'compute', 'read', 'allocate', 'write'] as const;
export type UnitDimension = (typeof UNIT_DIMENSIONS)[number];

/** One number a dimension, in the order of UNIT_DIMENSIONS. Each is a non-negative integer below 2^53. */
export type Units = readonly number[];

export const NO_UNITS: Units = [0, 0, 0, 0, 0];

export function addUnits(a: Units, b: Units): Units {
  return UNIT_DIMENSIONS.map((_, i) => (a[i] as number) + (b[i] as number));
}
