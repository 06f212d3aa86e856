/** An ordered key-value store: `level` in the node, a crashing one in simulation. Keys are ordered byte by byte. */
export interface KeyValue {
  get(key: Uint8Array): Promise<Uint8Array | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]>;
  /** Atomic. With `sync` it survives a power cut once the promise resolves. */
  batch(operations: readonly KeyValueOperation[], options?: { readonly sync?: boolean }): Promise<void>;
  /** At most `limit` entries with from <= key < to, ascending, or descending with `reverse`. */
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
