/** Real: the machine's. Simulated: virtual, advanced by the scenario runner. */
export interface Clock {
  /** ms since 1970; may jump. Only for block timestamps and for display. */
  wallMs(): number;
  /** Never decreases; for timers, timeouts and durations. May be fractional. */
  monotonicMs(): number;
  /** Runs `action` once after at least `delayMs`. Returns an idempotent function that cancels it. */
  after(delayMs: number, action: () => void): () => void;
}
