/** Time. Real: the machine's. Simulated: virtual, advanced by the scenario runner. */
export interface Clock {
  /** Wall clock, ms since 1970; may jump. For block timestamps and for people only. */
  wallMs(): number;
  /** Never goes back; for timers, timeouts and durations. Fractions allowed. */
  monotonicMs(): number;
  /** Runs `action` once after at least `delayMs`. Returns a function that cancels it (idempotent). */
  after(delayMs: number, action: () => void): () => void;
}
