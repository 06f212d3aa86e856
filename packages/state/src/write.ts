/** Writes of a batch: one per block. */
export interface Write {
  /** 1 to 64 bytes. */
  readonly key: Uint8Array;
  /** Up to 65,536 bytes; undefined deletes the key (which need not exist). */
  readonly value: Uint8Array | undefined;
}

/** In write order (it shows in the bytes and the checksum). A key stands in a batch at most once. */
export type Batch = readonly Write[];
