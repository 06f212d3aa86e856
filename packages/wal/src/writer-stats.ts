/** Counters of the writer. */
export interface WriterStats {
  /** fdatasync calls on segments, those at a rotation included. */
  readonly syncs: number;
  /** Bytes written, headers of segments included. */
  readonly bytes: number;
  readonly records: number;
}
