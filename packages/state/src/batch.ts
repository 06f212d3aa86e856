/** A block's batch of writes, and its packed form. */
export interface Write {
  /** 1 to 63 bytes. */
  readonly key: Uint8Array;
  /** Up to 65,536 bytes; undefined deletes the key, which need not exist. */
  readonly value: Uint8Array | undefined;
}

/** The order decides the bytes and the checksum. A key occurs at most once. */
export type Batch = readonly Write[];

export interface PackedBatch {
  readonly bytes: Uint8Array;
  readonly keyBytes: Uint8Array;
  readonly valueBytes: Int32Array;
}

export const DELETES = -1;

/** A longer key gets this length, which the store rejects. */
const KEY_COLUMN_MAX = 255;

export function isPacked(batch: Batch | PackedBatch): batch is PackedBatch {
  return !Array.isArray(batch);
}

/** The result is valid until the next call. */
export type Packer = (batch: Batch) => PackedBatch;

/** Buffers above this size are not reused. */
const REUSED_BYTES_MAX = 1_048_576;

/** Packs each batch into the same memory. */
export function createPacker(): Packer {
  let [bytes, keyBytes, valueBytes] = [new Uint8Array(), new Uint8Array(), new Int32Array()];
  return (batch) => {
    const writes = batch.length;
    if (needsOther(keyBytes, writes)) {
      keyBytes = new Uint8Array(writes);
      valueBytes = new Int32Array(writes);
    }
    const total = measure(batch, keyBytes, valueBytes);
    if (needsOther(bytes, total)) bytes = new Uint8Array(total);
    copy(batch, bytes);
    return {
      bytes: bytes.subarray(0, total),
      keyBytes: keyBytes.subarray(0, writes),
      valueBytes: valueBytes.subarray(0, writes),
    };
  };
}

function needsOther({ length }: Uint8Array, needed: number): boolean {
  return length < needed || (length > REUSED_BYTES_MAX && needed <= REUSED_BYTES_MAX);
}

function measure(batch: Batch, keyBytes: Uint8Array, valueBytes: Int32Array): number {
  let total = 0;
  for (let i = 0; i < batch.length; i++) {
    const { key, value } = batch[i] as Write;
    keyBytes[i] = Math.min(key.length, KEY_COLUMN_MAX);
    valueBytes[i] = value === undefined ? DELETES : value.length;
    total += key.length + (value?.length ?? 0);
  }
  return total;
}

function copy(batch: Batch, bytes: Uint8Array): void {
  let at = 0;
  for (let i = 0; i < batch.length; i++) {
    const { key, value } = batch[i] as Write;
    bytes.set(key, at);
    at += key.length;
    if (value === undefined) continue;
    bytes.set(value, at);
    at += value.length;
  }
}
