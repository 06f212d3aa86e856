/** A block's batch of writes in columns, the form that the state store takes. */
export interface Write {
  readonly key: Uint8Array;
  /** Undefined deletes the key. */
  readonly value: Uint8Array | undefined;
}

/** Each key once. */
export interface WriteColumns {
  /** Of each write its key, then its value. */
  readonly bytes: Uint8Array;
  readonly keyBytes: Uint8Array;
  /** DELETES: the write has no value. */
  readonly valueBytes: Int32Array;
}

export const DELETES = -1;

/** Views. */
export function writesOf({ bytes, keyBytes, valueBytes }: WriteColumns): readonly Write[] {
  let at = 0;
  const next = (length: number): Uint8Array => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  return Array.from(keyBytes, (length, i) => {
    const key = next(length);
    const valueLength = valueBytes[i] as number;
    return { key, value: valueLength === DELETES ? undefined : next(valueLength) };
  });
}

/** Whether `is` holds for the first byte of a key. */
export function anyKind({ bytes, keyBytes, valueBytes }: WriteColumns, is: (kind: number) => boolean): boolean {
  for (let i = 0, at = 0; i < keyBytes.length; i++) {
    if (is(bytes[at] as number)) return true;
    at += (keyBytes[i] as number) + Math.max(0, valueBytes[i] as number);
  }
  return false;
}
