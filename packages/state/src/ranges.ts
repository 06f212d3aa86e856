/**
 * Long loops, a stretch at a time.
 *
 * V8 compiles a function for speed once it was called often. One that is called once a batch and loops over all of its
 * 100,000 keys runs its first stretch slowly each time: it is replaced in the middle of the loop, and forgotten again.
 * A stretch is also what stays in the processor's first caches while several loops go over it.
 */
export const RANGE = 512;

/** Calls `work` for [from, from + 512), ... up to `until`. */
export function inRanges(from: number, until: number, work: (from: number, to: number) => void): void {
  for (let at = from; at < until; at += RANGE) work(at, Math.min(at + RANGE, until));
}
