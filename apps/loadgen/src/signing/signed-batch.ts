/** Signed transactions in contiguous buffers, which threads transfer without a copy. */
import { to0x } from '@slipstream/primitives';

export interface SignedBatch {
  readonly count: number;
  /** Concatenated serializations. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End of transaction i; its start is the end of the one before. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** 32 bytes each. */
  readonly ids: Uint8Array<ArrayBuffer>;
  /** ms since 1970. */
  readonly expiriesMs: Float64Array<ArrayBuffer>;
}

export interface SignedTransfer {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly expiryMs: number;
}

export const ID_BYTES = 32;

export function packSigned(
  parts: readonly { readonly bytes: Uint8Array; readonly id: Uint8Array; readonly expiryMs: number }[],
): SignedBatch {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.bytes.length, 0));
  const ends = new Uint32Array(parts.length);
  const ids = new Uint8Array(parts.length * ID_BYTES);
  const expiriesMs = new Float64Array(parts.length);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
    ends[index] = at;
    ids.set(part.id, index * ID_BYTES);
    expiriesMs[index] = part.expiryMs;
  }
  return { count: parts.length, bytes, ends, ids, expiriesMs };
}

export function signedAt({ bytes, ends, ids, expiriesMs }: SignedBatch, index: number): SignedTransfer {
  return {
    id: to0x(ids.subarray(index * ID_BYTES, (index + 1) * ID_BYTES)),
    bytes: bytes.subarray(index === 0 ? 0 : (ends[index - 1] as number), ends[index] as number),
    expiryMs: expiriesMs[index] as number,
  };
}
