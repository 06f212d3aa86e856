/**
 * Splits a latency into the stages on its path:
 *
 *   submitted --> chunk certified --> in a proposal --> ordered --> executed --> certified --> committed --> committed at the full node
 *
 * A stage that ended before an earlier one of the path took nothing of the latency: consensus hid it. So the parts add up to the latency.
 */
export const PARTS = [
  'dissemination',
  'block queue',
  'ordering',
  'execution',
  'certification',
  'commit',
  'full node',
] as const;
export type Part = (typeof PARTS)[number];

/** When each part ended, in the order of PARTS; undefined: not seen, it took nothing. */
export type Ends = readonly (number | undefined)[];

/** In the order of PARTS. */
export function partsOf(fromMs: number, ends: Ends): number[] {
  const lastMs = ends[PARTS.length - 1];
  if (ends.length !== PARTS.length || lastMs === undefined) throw new RangeError('a latency ends at the full node');
  let atMs = fromMs;
  return ends.map((end) => {
    const untilMs = Math.min(Math.max(end ?? atMs, atMs), lastMs);
    const took = untilMs - atMs;
    atMs = untilMs;
    return took;
  });
}

/** Mean of each part. */
export function meanParts(all: readonly (readonly number[])[]): number[] {
  return PARTS.map((_, part) => mean(all.map((parts) => parts[part] as number)));
}

/** Of the finite ones. */
export function mean(values: readonly number[]): number {
  const known = values.filter(Number.isFinite);
  return known.reduce((sum, value) => sum + value, 0) / Math.max(1, known.length);
}
