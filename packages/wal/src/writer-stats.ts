export interface WriterStats {
  /** fdatasync calls on segments, including rotations. */
  readonly syncs: number;
  /** Bytes written, including segment headers. */
  readonly bytes: number;
  readonly records: number;
}
