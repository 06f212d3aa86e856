/** A store ordered byte by byte: `level` in the node, a crashing one in simulation. */
export interface KeyValue {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Atomic; with `sync` it survives a power cut. */
  batch(operations: readonly KeyValueOperation[], options?: { readonly sync?: boolean }): Promise<void>;
  /** At most `limit` entries with from <= key < to, ascending unless `reverse`. */
  range(range: KeyRange): Promise<readonly KeyValueEntry[]>;
  close(): Promise<void>;
}

export type KeyValueOperation =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: Uint8Array };

export interface KeyRange {
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly limit: number;
  readonly reverse?: boolean;
}

export interface KeyValueEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
