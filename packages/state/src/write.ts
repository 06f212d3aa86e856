/** Writes of a batch: one batch per block. */
export interface Write {
  /** 1 to 64 bytes. */
  readonly key: Uint8Array;
  /** Up to 65,536 bytes; undefined deletes the key (which need not exist). */
  readonly value: Uint8Array | undefined;
}

/** The order shows in the bytes and the checksum. A key occurs at most once per batch. */
export type Batch = readonly Write[];
