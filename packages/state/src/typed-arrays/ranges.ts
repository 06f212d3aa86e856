/** Splits long loops, because V8 optimizes a function only after many calls. A range also fits the first-level caches. */
export const RANGE = 512;

/** Calls `work` for [from, from + 512), ... up to `until`. */
export function inRanges(from: number, until: number, work: (from: number, to: number) => void): void {
  for (let at = from; at < until; at += RANGE) work(at, Math.min(at + RANGE, until));
}
