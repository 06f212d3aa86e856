/** Ids of many transactions as one byte string. */
import { ID_BYTES } from '@slipstream/types';

/** Of lower-case hexadecimal ids. */
export function packIds(ids: readonly string[]): Uint8Array {
  return Buffer.from(ids.join(''), 'hex');
}

export function unpackIds(bytes: Uint8Array): readonly string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / ID_BYTES }, (_, i) => {
    return all.toString('hex', i * ID_BYTES, (i + 1) * ID_BYTES);
  });
}
