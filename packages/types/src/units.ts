/** Fee units in five dimensions (dissemination.md, "Fees"). */
export const UNIT_DIMENSIONS = ['bandwidth', 'compute', 'read', 'allocate', 'write'] as const;
export type UnitDimension = (typeof UNIT_DIMENSIONS)[number];

/** One number a dimension, in the order of UNIT_DIMENSIONS. Each is a non-negative integer below 2^53. */
export type Units = readonly number[];

export const NO_UNITS: Units = [0, 0, 0, 0, 0];

/** Written out: twice a transaction on each node, and a loop with a closure took ten times as long. */
export function addUnits(a: Units, b: Units): Units {
  const [a0, a1, a2, a3, a4] = a as readonly [number, number, number, number, number];
  const [b0, b1, b2, b3, b4] = b as readonly [number, number, number, number, number];
  return [a0 + b0, a1 + b1, a2 + b2, a3 + b3, a4 + b4];
}

/** The same in place: for sums over a transaction or a block. */
export function addToUnits(sum: number[], units: Units): void {
  for (let i = 0; i < UNIT_DIMENSIONS.length; i++) sum[i] = (sum[i] as number) + (units[i] as number);
}
