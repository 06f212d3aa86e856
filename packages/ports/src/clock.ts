export interface Clock {
  /** ms since 1970; may jump. Only for block timestamps and display. */
  wallMs(): number;
  /** Never decreases; may be fractional. */
  monotonicMs(): number;
  /** Runs `action` once, after at least `delayMs`. Returns an idempotent function that cancels it. */
  after(delayMs: number, action: () => void): () => void;
}
