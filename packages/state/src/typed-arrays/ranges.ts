/**
 * Splits long loops into ranges, because V8 optimizes a function only after many calls. A range also stays in the first-level caches
 * while several loops pass over it.
 */
export const RANGE = 512;

/** Calls `work` for [from, from + 512), ... up to `until`. */
export function inRanges(from: number, until: number, work: (from: number, to: number) => void): void {
  for (let at = from; at < until; at += RANGE) work(at, Math.min(at + RANGE, until));
}
