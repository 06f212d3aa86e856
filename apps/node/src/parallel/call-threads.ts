/** Threads that order, execute, serve and verify. */
const OTHER_THREADS = 4;
/** The executor hands calls over, and takes results, at about this rate. */
const SIZED_MAX = 8;

/** As configured, or half of the cores that the other threads leave: verification takes the rest. */
export function callThreads(configured: number, cores: number): number {
  return configured >= 0 ? configured : Math.min(SIZED_MAX, Math.max(0, Math.floor((cores - OTHER_THREADS) / 2)));
}
